"""What can be probed: models that score text (`scoring`), chat models (`chat`), encoders (`encoders`).

`open_model` of `endoxa.models.scoring` turns the words of the command line into something with the interface of
`endoxa.schema.Model`; `endoxa.models.chat.open_chat` and `endoxa.models.encoders.open_encoders` do the same for their
kinds. Providers and encoder kinds stand in registries, so that a package can add its own.
"""
