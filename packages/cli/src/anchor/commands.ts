import type { CommandSpec } from '../command.ts'

export const ANCHOR_COMMANDS: readonly CommandSpec[] = [
  {
    path: 'anchor stamp',
    summary: 'Put the hash of a file into the public log, and write a stamp beside it',
    args: ['[file]'],
    options: [
      ['--head', 'the newest block of the chain instead of a file'],
      ['--epoch <label>', 'your name for it, which everybody can read (default: file, or head)'],
      ['--out <file>', 'where the stamp is written (default: the file with .anchor.json)'],
    ],
    result: ['stamp', 'anchorId', 'root', 'epoch'],
    examples: ['svc anchor stamp report.pdf', 'svc anchor stamp --head --epoch 2026-11 --out head.anchor.json'],
    page: '/developer/anchors',
    run: async (context, given) => (await import('./anchor.ts')).stamp(context, given),
  },
  {
    path: 'anchor upgrade',
    summary: 'Complete a stamp with the proof, once it is in the log',
    args: ['<stamp>'],
    options: [['--wait', 'wait for it, at most five minutes']],
    result: ['stamp', 'isComplete'],
    examples: ['svc anchor upgrade report.pdf.anchor.json --wait'],
    run: async (context, given) => (await import('./anchor.ts')).upgrade(context, given),
  },
  {
    path: 'anchor verify',
    summary: 'Verify a stamp, and that it is of a file',
    args: ['<stamp>', '[file]'],
    options: [
      ['--offline', 'ask nobody'],
      ['--evidence <file>', 'keep the public answers; with --offline, take them from there'],
      ['--realm <realm>', 'the deployment it must be for, instead of the profile’s'],
      ['--log-key <key>', 'the key of the log, from another source'],
    ],
    result: ['kind', 'verdict', 'did', 'signer', 'order', 'proved', 'notCompared', 'next'],
    examples: ['svc anchor verify report.pdf.anchor.json report.pdf'],
    run: async (context, given) => (await import('./anchor.ts')).verifyStamp(context, given),
  },
  {
    path: 'anchor info',
    summary: 'Show what a stamp says, without verifying it',
    args: ['<stamp>'],
    result: ['isComplete', 'anchorId', 'root', 'epoch', 'owner', 'log', 'at'],
    examples: ['svc anchor info report.pdf.anchor.json'],
    run: async (context, given) => (await import('./anchor.ts')).info(context, given),
  },
  {
    path: 'anchor log',
    summary: 'Check that the log of anchors only grew since the last visit, and recompute its newest anchors',
    result: ['log', 'size', 'root', 'recomputed', 'logs'],
    examples: ['svc anchor log'],
    page: '/developer/anchors',
    run: async (context) => (await import('./log.ts')).followLog(context),
  },
]
