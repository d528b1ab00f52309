"""`python -m penstock`: the `penstock` command, where its script is not on the path."""

from penstock.cli.main import main

if __name__ == "__main__":
    main()
