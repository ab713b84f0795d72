import type { CommandSpec } from '../command.ts'

const CID = '<cid>'

export const CONTENT_COMMANDS: readonly CommandSpec[] = [
  {
    path: 'content pin',
    summary: 'Have the deployment fetch content from IPFS by its CID, verify and keep it',
    args: [CID],
    options: [['--name <name>', 'your name for it']],
    result: 'Pinned of core',
    examples: ['svc content pin CID --name poster'],
    page: '/developer/content',
    run: async (context, given) => (await import('./content.ts')).pin(context, given),
  },
  {
    path: 'content list',
    summary: 'List what this identity has pinned',
    result: ['pins'],
    examples: ['svc content list'],
    run: async (context) => (await import('./content.ts')).listPins(context),
  },
  {
    path: 'content get',
    summary: 'Read pinned content by its CID',
    args: [CID],
    options: [['--out <file>', 'default: standard output']],
    result: ['cid', 'bytes', 'file', 'contentB64u'],
    examples: ['svc content get CID --out poster.jpg', 'svc content get CID >poster-2.jpg'],
    run: async (context, given) => (await import('./content.ts')).readContent(context, given),
  },
  {
    path: 'content remove',
    summary: 'Remove your pin; content that nobody pins is deleted',
    args: [CID],
    result: 'Pinned of core',
    examples: ['svc content remove CID --yes'],
    run: async (context, given) => (await import('./content.ts')).unpin(context, given),
  },
  {
    path: 'content takedowns',
    summary: 'List what the operator took down, and why',
    result: ['takedowns'],
    examples: ['svc content takedowns'],
    run: async (context) => (await import('./content.ts')).takedowns(context),
  },
]
