"""The catalogue: every test of the seeds as one small declarative file, with its published figures."""

from penstock.lab.catalogue.loading import catalogue, chosen
from penstock.lab.catalogue.test_file import Test

__all__ = ["Test", "catalogue", "chosen"]
