import type { CommandSpec } from '../command.ts'

export const VERIFY_COMMANDS: readonly CommandSpec[] = [
  {
    path: 'sign',
    summary: 'Sign a file as this identity or its device, and write the signature beside it',
    args: ['<file>'],
    options: [
      ['--for <audience>', 'who it is for, such as contracts.example (default: file)'],
      ['--out <file>', 'where the signature is written (default: the file with .signed.json)'],
    ],
    result: ['file', 'did', 'audience'],
    examples: ['svc sign report.pdf', 'svc sign report.pdf --for contracts.example --out contract.json'],
    page: '/developer/cli#verify-anything',
    run: async (context, given) => (await import('./sign.ts')).sign(context, given),
  },
  {
    path: 'verify',
    summary: 'Find out what a file, DID, hash or page is, and verify it',
    args: ['<file|DID|hash|URL>'],
    options: [
      ['--offline', 'ask nobody; the keys that svc init pinned are used'],
      ['--evidence <file>', 'keep the public answers that it was verified with; with --offline, take them from there'],
      ['--did <did>', 'whose it must be'],
      ['--realm <realm>', 'the deployment it must be for, instead of the profile’s'],
      ['--file <file>', 'the content that a proof or a message must be about'],
      [
        '--log-key <key>',
        'the key of the log of an anchor or checkpoint, from another source, as base64url, or a verifier key of the beacon',
      ],
    ],
    result: ['kind', 'verdict', 'did', 'signer', 'order', 'proved', 'notCompared', 'next'],
    examples: [
      'svc verify report.pdf.signed.json --file report.pdf',
      'svc verify proof.json --file photo.jpg',
      'svc verify chain.json --offline --did did:svc:RQ7Xn0nE0m1yqYb9h3JvWc2dT5KfLgAz',
      'svc verify anchor.json --file report.pdf --evidence known.json',
      'svc verify anchor.json --file report.pdf --offline --evidence known.json',
    ],
    page: '/developer/verify-offline',
    run: async (context, given) => (await import('./verify.ts')).verify(context, given),
  },
]
