import type { CommandSpec } from '../command.ts'

const DID = 'did:svc:RQ7Xn0nE0m1yqYb9h3JvWc2dT5KfLgAz'
const DEVICE = 'PDw8PDw8PDw8PDw8PDw8PDw8PDw8PDw8'

export const DIRECTORY_COMMANDS: readonly CommandSpec[] = [
  {
    path: 'directory lookup',
    summary: 'List what an account has published, verified',
    args: ['<did>'],
    result: ['accountDid', 'seq', 'head', 'devices'],
    examples: [`svc directory lookup ${DID}`],
    page: '/developer/keys',
    run: async (context, given) => (await import('./lookup.ts')).lookup(context, given),
  },
  {
    path: 'directory publish',
    summary: 'Publish the keys of the device on this machine, with prekeys for others to use once each',
    options: [
      ['--count <n>', 'one-time prekeys, at most 100 (default: 100)'],
      ['--add', 'only add prekeys to what is published; a device can do this without the root key'],
    ],
    result: ['deviceId', 'leafId', 'stock', 'secrets'],
    examples: ['svc directory publish', 'svc directory publish --add --count 20'],
    run: async (context, given) => (await import('./publish.ts')).publish(context, given),
  },
  {
    path: 'directory reserve',
    summary: 'Reserve a prekey of somebody’s device, with proof from the log',
    args: ['<did>', '<device>'],
    options: [
      ['--key <key>', 'the same key reserves the same prekey'],
      ['--challenge <token>', 'the token of a human check, if the account wants one'],
      ['--pass <pass>', 'what the owner gave you as a contact'],
      ['--secret <file>', 'encapsulate to it, and write the 32 shared bytes; the owner opens what --json prints'],
    ],
    result: ['prekey', 'receipt', 'usedFallback', 'package', 'ciphertextB64u', 'file'],
    examples: [
      `svc directory reserve ${DID} ${DEVICE}`,
      `svc directory reserve ${DID} ${DEVICE} --secret first.key --json >reserved.json`,
    ],
    run: async (context, given) => (await import('./lookup.ts')).reserve(context, given),
  },
  {
    path: 'directory open',
    summary: 'Open the secret that somebody encapsulated to a prekey of this device; it opens once',
    args: ['<reserved>'],
    options: [['--out <file>', 'where the 32 shared bytes are written (default: the id of the prekey with .secret)']],
    result: ['prekeyId', 'file'],
    examples: ['svc directory open reserved.json --out first.key'],
    page: '/developer/keys',
    run: async (context, given) => (await import('./secret.ts')).open(context, given),
  },
  {
    path: 'directory revoke',
    summary: 'Take back what a device has published, and its prekeys',
    args: ['<device>'],
    result: ['deviceId', 'leafId', 'revokedAt'],
    examples: [`svc directory revoke ${DEVICE} --yes`],
    run: async (context, given) => (await import('./lookup.ts')).revoke(context, given),
  },
  {
    path: 'directory audit',
    summary: 'Follow the log of the directory from the last visit, and recompute it',
    options: [
      ['--state <file>', 'what the last visit has seen (default: with what svc keeps)'],
      ['--log-only', 'do not recompute the maps of accounts'],
      ['--leaf <ids...>', 'leaves that must be in the log'],
      ['--cosign', 'sign what was verified, as a witness'],
      ['--seed <file>', 'the seed of the witness: a file with 64 hex characters that only you can read'],
    ],
    result: ['log', 'size', 'root', 'updates', 'witness'],
    examples: [
      'svc directory audit',
      'svc directory audit --log-only --state audit.json',
      'svc directory audit --cosign --seed witness.seed',
    ],
    run: async (context, given) => (await import('./audit.ts')).audit(context, given),
  },
  {
    path: 'directory pool',
    summary: 'Show what is left of the prekeys of your device, and who reserved which',
    args: ['<device>'],
    result: ['deviceId', 'stock', 'reservations'],
    examples: [`svc directory pool ${DEVICE}`],
    run: async (context, given) => (await import('./pool.ts')).pool(context, given),
  },
  {
    path: 'directory allow',
    summary: 'Say who may reserve your prekeys: anyone, contacts, or strangers after a challenge',
    args: ['<anyone|contacts|challenge>'],
    options: [
      ['--contact <dids...>', 'your contacts, as did, or as did=pass to keep a pass; replaces the earlier ones'],
    ],
    result: ['reserve', 'contacts', 'passes'],
    examples: ['svc directory allow anyone', `svc directory allow contacts --contact ${DID}`],
    page: '/developer/keys',
    run: async (context, given) => (await import('./pool.ts')).allow(context, given),
  },
  {
    path: 'directory beacon',
    summary: 'Verify the newest checkpoint of the beacon, who cosigned it, and the logs in it',
    options: [
      ['--key <keys...>', 'verifier keys of the beacon that you know, instead of those of the signed list'],
      ['--out <file>', 'keep the checkpoint with its newest leaf, a proof in the form of C2SP'],
    ],
    result: ['origin', 'size', 'rootB64u', 'signedBy', 'witnesses', 'at', 'heads', 'file'],
    examples: ['svc directory beacon', 'svc directory beacon --out beacon.tlog-proof'],
    page: '/developer/beacon',
    run: async (context, given) => (await import('./beacon.ts')).beacon(context, given),
  },
]
