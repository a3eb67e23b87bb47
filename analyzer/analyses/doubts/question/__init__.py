"""What a doubt is, and the conflicts that doubts about races judge; other candidates are in the
rooms of their doubts.
"""
