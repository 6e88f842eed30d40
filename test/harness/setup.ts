// Costly invariants (deep-frozen objects and the like) are on in tests.
process.env['KUBE_VERIFY'] = '1';
