"""What an organiser decides: the settings of a campaign, checked at the border."""
