"""`python -m endoxa`: the command line, where no command `endoxa` is on the path."""

from endoxa.commands import main

if __name__ == "__main__":
    main()
