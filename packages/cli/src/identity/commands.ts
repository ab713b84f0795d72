import type { CommandSpec } from '../command.ts'

const DID = 'did:svc:RQ7Xn0nE0m1yqYb9h3JvWc2dT5KfLgAz'

export const IDENTITY_COMMANDS: readonly CommandSpec[] = [
  {
    path: 'id new',
    summary: 'Create and register an identity with its first device and sheets of words',
    options: [
      ['--keychain', 'keep the passphrase in the keychain of the operating system'],
      ['--recovery <file>', 'path of the recovery file; without sheets, of the encrypted recovery key'],
      ['--sheet-file <files...>', 'write the words of one or two sheets to files instead of showing them'],
      ['--no-sheets', 'create no sheets: a thief of the root key can then name the next one'],
      ['--local', 'make the keys only; svc chain init registers the identity later'],
    ],
    result: ['did', 'deviceId', 'keys', 'recovery', 'sheets'],
    examples: [
      'svc id new',
      'svc id new --passphrase-fd 3 3<passphrase.txt',
      'svc id new --sheet-file first.txt second.txt',
    ],
    page: '/developer/identity',
    run: async (context, given) => (await import('./new.ts')).newIdentity(context, given),
  },
  {
    path: 'id list',
    summary: 'List the identities whose keys are on this machine',
    result: ['identities'],
    examples: ['svc id list', 'svc id list --json'],
    run: async (context) => (await import('./show.ts')).listIdentities(context),
  },
  {
    path: 'id show',
    summary: 'Open a key file, and show its public parts',
    args: ['[did]'],
    result: ['did', 'root', 'devices', 'hasRecovery'],
    examples: ['svc id show', `svc id show ${DID}`],
    run: async (context, given) => (await import('./show.ts')).showIdentity(context, given),
  },
  {
    path: 'id import',
    summary: 'Take keys from an export or a backup',
    args: ['<file>'],
    options: [
      ['--age-identity <file>', 'the age key that opens a backup of svc id backup'],
      ['--keychain', 'keep the passphrase in the keychain of the operating system'],
    ],
    result: ['did', 'keys', 'hasRoot', 'devices', 'replaced'],
    examples: ['svc id import keys.json', 'svc id import keys.age --age-identity key.txt'],
    run: async (context, given) => (await import('./files.ts')).importIdentity(context, given),
  },
  {
    path: 'id export',
    summary: 'Write the encrypted key file',
    args: ['[did]'],
    options: [['--out <file>', 'default: standard output']],
    result: ['did', 'file', 'content'],
    examples: ['svc id export --out keys.json'],
    run: async (context, given) => (await import('./files.ts')).exportIdentity(context, given),
  },
  {
    path: 'id backup',
    summary: 'Encrypt the keys to a post-quantum age key',
    args: ['[did]'],
    options: [
      ['--to <recipient>', 'an age recipient, age1pq1…'],
      ['--out <file>', 'default: standard output'],
    ],
    result: ['did', 'file', 'content'],
    examples: ['svc id backup --to "$(cat recipient.txt)" --out keys.age'],
    run: async (context, given) => (await import('./files.ts')).backupIdentity(context, given),
  },
  {
    path: 'id events',
    summary: 'List what happened to the identity, from the feed that core signs',
    options: [
      ['--after <sequence>', 'only what is newer than this event'],
      ['--wait', 'wait for what happens next, 25 seconds at most; ends with 4 if nothing does'],
    ],
    result: ['events', 'missed'],
    examples: ['svc id events', 'svc id events --wait'],
    page: '/developer/events',
    run: async (context, given) => (await import('./events.ts')).events(context, given),
  },
  {
    path: 'id deactivate',
    summary: 'End the identity permanently',
    result: 'Deactivated of core',
    examples: ['svc id deactivate --dry-run', 'svc id deactivate --yes'],
    page: '/developer/identity#deactivation',
    run: async (context) => (await import('./deactivate.ts')).deactivate(context),
  },
]
