import type { CommandSpec } from '../command.ts'

const ROTATION_ID = '[rotation]'
const ROTATION = ['rotationId', 'kind', 'status', 'basis', 'version', 'epoch', 'deadline', 'cosignatures']

export const ROTATE_COMMANDS: readonly CommandSpec[] = [
  {
    path: 'rotate start',
    summary: 'Ask for a new root key; it waits, so that the owner can stop it',
    options: [
      ['--version <n>', '2 waits for a window, 1 for the operator (default: 2)'],
      ['--words <file>', 'for an identity with sheets: a file with the words of a sheet; - is standard input'],
      ['--new-sheet', 'create a new sheet at a terminal, which replaces the others'],
      ['--dispute', 'end another rotation with words of this identity, if it is not yours'],
      [
        '--lost-sheets',
        'if the words of all sheets are lost: write a request that a device co-signs; it takes 30 days',
      ],
      ['--out <file>', 'with --lost-sheets: path of the request (default: request.json)'],
      ['--sheet-file <files...>', 'with --lost-sheets: write the words of the new sheets to files'],
    ],
    result: [...ROTATION, 'keys', 'newUserId', 'request'],
    examples: [
      'svc rotate start',
      'svc rotate start --dry-run',
      'svc rotate start --lost-sheets --sheet-file new.txt --out request.json',
    ],
    page: '/developer/rotation',
    run: async (context, given) => (await import('./rotate.ts')).start(context, given),
  },
  {
    path: 'rotate status',
    summary: 'Show a pending rotation or deactivation; exits with 4 if there is one',
    result: ['rotation'],
    examples: ['svc rotate status'],
    run: async (context) => (await import('./rotate.ts')).status(context),
  },
  {
    path: 'rotate veto',
    summary: 'Stop a pending rotation or deactivation, or delay a co-signed one',
    args: [ROTATION_ID],
    options: [['--words <file>', 'stop it with the words of a sheet, or delay it; - is standard input']],
    result: ROTATION,
    examples: ['svc rotate veto --yes', 'svc rotate veto --words first.txt --yes'],
    run: async (context, given) => (await import('./rotate.ts')).veto(context, given),
  },
  {
    path: 'rotate cosign',
    summary: 'Co-sign a pending rotation or deactivation, as a device',
    args: [ROTATION_ID],
    options: [['--request <file>', 'send this request of the root key with the co-signature, as for lost sheets']],
    result: ROTATION,
    examples: ['svc rotate cosign --yes', 'svc rotate cosign --request request.json --yes'],
    run: async (context, given) => (await import('./rotate.ts')).cosign(context, given),
  },
  {
    path: 'rotate activate',
    summary: 'Use the new root key after the waiting period; run it again if it stops half-way',
    result: [...ROTATION, 'devices', 'ended', 'recovery'],
    examples: ['svc rotate activate'],
    run: async (context) => (await import('./activate.ts')).activate(context),
  },
  {
    path: 'rotate history',
    summary: 'List the root keys of an identity, verified',
    args: ['[did]'],
    result: ['did', 'keys'],
    examples: ['svc rotate history'],
    run: async (context, given) => (await import('./rotate.ts')).history(context, given),
  },
  {
    path: 'rotate hold',
    summary: 'Stop all writing at once, if you suspect a theft',
    result: 'HoldState of core',
    examples: ['svc rotate hold'],
    page: '/developer/security',
    run: async (context) => (await import('./rotate.ts')).hold(context),
  },
  {
    path: 'rotate lift',
    summary: 'Allow writing again',
    result: 'HoldState of core',
    examples: ['svc rotate lift --yes'],
    run: async (context) => (await import('./rotate.ts')).lift(context),
  },
]

export const RECOVERY_COMMANDS: readonly CommandSpec[] = [
  {
    path: 'recovery prepare',
    summary: 'Write the recovery file, for a lost or stolen root key; without sheets, write a recovery key',
    options: [['--out <file>', 'path of the file; a recovery key is encrypted']],
    result: ['did', 'recovery'],
    examples: ['svc recovery prepare --out /media/usb/recovery.json'],
    page: '/developer/rotate-or-lose-a-key',
    run: async (context, given) => (await import('./recovery.ts')).prepare(context, given),
  },
  {
    path: 'recovery confirm',
    summary: 'Check the words of a sheet against the identity, and record that you have them',
    args: ['[file]'],
    result: ['did', 'sheet', 'confirmedAt'],
    examples: ['svc recovery confirm first.txt'],
    page: '/developer/successors',
    run: async (context, given) => (await import('../sheets/confirm.ts')).confirm(context, given),
  },
  {
    path: 'recovery sheet',
    summary: 'Print the recovery key for paper: as 24 words, and as a code',
    args: ['<file>'],
    options: [['--qr', 'show the code as a QR code too']],
    result: ['did', 'epoch', 'words', 'code'],
    examples: ['svc recovery sheet /media/usb/recovery.json', 'svc recovery sheet /media/usb/recovery.json --qr'],
    page: '/developer/rotate-or-lose-a-key',
    run: async (context, given) => (await import('./recovery.ts')).sheet(context, given),
  },
  {
    path: 'recovery status',
    summary: 'Show how far the recovery is; ends with 4 while it goes on',
    result: ['stage', 'next', 'isCommitted', 'isOurs', 'isRival', 'summary', 'rotation'],
    examples: ['svc recovery status'],
    run: async (context) => (await import('./recovery.ts')).recoveryStatus(context),
  },
  {
    path: 'recovery operator',
    summary: 'Write the request that the operator approves, for a recovery without a device with standing',
    options: [
      ['--out <file>', 'default: request.json'],
      ['--words <file>', 'for an identity with sheets: a file with the words of a sheet; - is standard input'],
      ['--requests <file>', 'the recovery file, if it is not on this machine'],
    ],
    result: ['file', 'rotationId', 'newUserId'],
    examples: ['svc recovery operator'],
    page: '/developer/rotate-or-lose-a-key',
    run: async (context, given) => (await import('./recovery.ts')).forOperator(context, given),
  },
  {
    path: 'recovery run',
    summary: 'Do what can be done now; run it again until it has ended',
    args: ['<file>'],
    options: [
      ['--requests <file>', 'the recovery file, if it is not on this machine'],
      ['--did <did>', 'for words without a recovery file, on a machine without keys: the identity'],
      ['--dispute', 'end or delay another rotation with words of this identity, if it is not yours'],
    ],
    result: ['status', 'acts', 'needs', 'request', 'ended'],
    examples: [
      'svc recovery run /media/usb/recovery.json',
      'svc recovery run words.txt --requests recovery-of-the-console.json',
    ],
    page: '/developer/rotate-or-lose-a-key',
    run: async (context, given) => (await import('./recovery.ts')).runRecovery(context, given),
  },
]

export const GUARDIAN_COMMANDS: readonly CommandSpec[] = [
  {
    path: 'guardian set',
    summary: 'Ask guardians to attest a file',
    options: [
      ['--guardian <dids...>', 'who is asked'],
      ['--threshold <n>', 'how many must attest (default: all)'],
      ['--subject <file>', 'what they attest; give it to them another way'],
    ],
    result: 'GuardianStatus of keys',
    examples: ['svc guardian set --subject will.pdf --guardian did:svc:RQ7Xn0nE0m1yqYb9h3JvWc2dT5KfLgAz'],
    run: async (context, given) => (await import('./guardians.ts')).ask(context, given),
  },
  {
    path: 'guardian approve',
    summary: 'Attest, as a guardian, the file that you were given',
    args: ['<request>'],
    options: [['--subject <file>', 'the file']],
    result: 'GuardianStatus of keys',
    examples: ['svc guardian approve "$(cat request.txt)" --subject will.pdf'],
    run: async (context, given) => (await import('./guardians.ts')).approve(context, given),
  },
  {
    path: 'guardian status',
    summary: 'Show who has attested; ends with 4 until enough have',
    args: ['<request>'],
    result: 'GuardianStatus of keys',
    examples: ['svc guardian status "$(cat request.txt)"'],
    run: async (context, given) => (await import('./guardians.ts')).guardianStatus(context, given),
  },
]
