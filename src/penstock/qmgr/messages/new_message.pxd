# compiled as it is: see the module
