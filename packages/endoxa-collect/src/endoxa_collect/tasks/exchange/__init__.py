"""Items for other annotation tools, and their results back: for labs that already work in Label Studio or Argilla.

What is asked, and what makes an answer valid, is the form of the room: an answer that comes back from elsewhere goes
through the same form as one from our own pages.
"""
