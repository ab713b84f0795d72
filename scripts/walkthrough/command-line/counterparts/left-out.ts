/**
 * Steps that have no counterpart with `svc`, by the reason: what `svc` never sends, and what takes another program than a
 * command line.
 */
export const LEFT_OUT: Readonly<Record<string, readonly string[]>> = {
  'A forged request: svc signs each one anew, for the newest head, with its own key': [
    'must fail: a spent assertion',
    'must fail: a block on a stale head',
    'must fail: a block signed by another key',
    'must fail: a capsule with a block on a stale head',
    'must fail: bob changes alice’s declaration',
    'must fail: a replay of alice’s earlier declaration',
    'must fail: bob submits her root with her attestation',
    'must fail: alice registers a claim that bob signed',
    'must fail: alice changes the imported record',
    'must fail: the same read, signed by somebody else',
  ],
  'A forged request: svc encrypts every note': ['must fail: a title that is not encrypted'],
  'A forged request: svc asks for prekeys as the profile wants them': ['must fail: a last-resort prekey with bound v4'],
  'svc shows the token of a session to nobody, so no shell can send it elsewhere': [
    'must fail: her session at every route that requires an assertion',
  ],
  'It shows that another program than the SDK can verify the beacon, and svc is the SDK': [
    'anyone: verifies the beacon with Node’s cryptography only',
  ],
  'An earlier run may have an epoch open': ['anyone: finds no open epoch'],
}
