import type { CommandSpec } from '../command.ts'

export const DEVICE_COMMANDS: readonly CommandSpec[] = [
  {
    path: 'device pair',
    summary: 'Let another device join this identity',
    options: [
      ['--qr', 'show the link as a QR code too'],
      ['--code <file>', 'read the code of the other device there, such as from a pipe, instead of asking'],
      ['--capability <names...>', 'what it may do (default: what it asks for)'],
      ['--send <file>', 'hand it a file of at most 16 KiB, encrypted to it'],
      ['--relay', 'through the authorization relay, which always hands over a key'],
    ],
    result: ['did', 'deviceId', 'countsAt'],
    examples: [
      'svc device pair',
      'svc device pair --qr --capability notes:read notes:write',
      'svc device pair --relay --send key.txt',
    ],
    page: '/developer/pairing',
    run: async (context, given) => (await import('./pairing.ts')).pair(context, given),
  },
  {
    path: 'device join',
    summary: 'Join an identity with the link that its other device shows',
    args: ['<link>'],
    options: [
      ['--keychain', 'keep the passphrase in the keychain of the operating system'],
      ['--capability <names...>', 'what to ask for (default: everything)'],
      ['--out <file>', 'where a file that is handed over is written (default: received)'],
    ],
    result: ['did', 'deviceId', 'keys', 'received'],
    examples: ['svc device join "$(cat link.txt)"'],
    run: async (context, given) => (await import('./pairing.ts')).join(context, given),
  },
  {
    path: 'device list',
    summary: 'List the devices of this identity, from its verified log',
    result: ['devices'],
    examples: ['svc device list'],
    run: async (context) => (await import('./devices.ts')).listDevices(context),
  },
  {
    path: 'device revoke',
    summary: 'Revoke a device permanently',
    args: ['<device>'],
    result: ['deviceId'],
    examples: ['svc device revoke PDw8PDw8PDw8PDw8PDw8PDw8PDw8PDw8 --yes'],
    run: async (context, given) => (await import('./devices.ts')).revoke(context, given),
  },
]
