package input

// withoutWaiting is 0: there are no pipes and terminals.
const withoutWaiting = 0
