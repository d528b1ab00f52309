# compiled as it is: see `verbs`
