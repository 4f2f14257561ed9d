"""One association, several instruments: do they say the same (Campbell and Fiske 1959; Spearman 1904)?"""
