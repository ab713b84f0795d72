import type { CommandSpec } from '../command.ts'

export const CHAIN_COMMANDS: readonly CommandSpec[] = [
  {
    path: 'chain init',
    summary: 'Write the first block, which registers the identity',
    result: ['did', 'hash'],
    examples: ['svc chain init'],
    run: async (context) => (await import('./chain.ts')).initChain(context),
  },
  {
    path: 'chain head',
    summary: 'Show the newest block',
    result: ['index', 'hash'],
    examples: ['svc chain head', 'svc chain head --json'],
    run: async (context) => (await import('./chain.ts')).showHead(context),
  },
  {
    path: 'chain append',
    summary: 'Sign a block, and append it',
    options: [
      ['--file <file>', 'its payload; - is standard input'],
      ['--type <type>', 'the content type of the payload (default: application/octet-stream)'],
      ['--metadata <file>', 'JSON that the block commits to'],
    ],
    result: ['index', 'hash', 'block'],
    examples: [
      'svc chain append --file report.pdf --type application/pdf',
      'svc chain append --file - --type text/plain <note.txt',
    ],
    run: async (context, given) => (await import('./chain.ts')).append(context, given),
  },
  {
    path: 'chain list',
    summary: 'List blocks',
    options: [
      ['--from <index>', 'the first (default: 0)'],
      ['--limit <n>', 'how many at most (default: 50)'],
    ],
    result: ['blocks'],
    examples: ['svc chain list', 'svc chain list --from 100 --limit 10'],
    run: async (context, given) => (await import('./chain.ts')).listBlocks(context, given),
  },
  {
    path: 'chain payload',
    summary: 'Read the payload of a block, verified with its hash',
    args: ['<block>'],
    options: [['--out <file>', 'default: standard output']],
    result: ['block', 'contentType', 'bytes', 'file', 'contentB64u'],
    examples: ['svc chain payload 1', 'svc chain payload 1 --out payload.pdf'],
    run: async (context, given) => (await import('./chain.ts')).readPayload(context, given),
  },
  {
    path: 'chain verify',
    summary: 'Read the whole chain, and verify each signature and link',
    result: ['verdict', 'index', 'hash'],
    examples: ['svc chain verify'],
    run: async (context) => (await import('./chain.ts')).verifyWhole(context),
  },
  {
    path: 'chain export',
    summary: 'Write all blocks, as svc verify takes them',
    options: [['--out <file>', 'default: standard output']],
    result: ['did', 'blocks', 'file', 'content'],
    examples: ['svc chain export --out chain.json', 'svc chain export >chain.json'],
    run: async (context, given) => (await import('./chain.ts')).exportChain(context, given),
  },
]
