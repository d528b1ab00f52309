"""What PySpark looks for: a module `pyspark_*` with a DefaultSource makes a format known by itself."""

from penstock.spark.format.data_source import PenstockDataSource as DefaultSource

__all__ = ["DefaultSource"]
