"""Sign in and out; the list of campaigns an account may see."""
