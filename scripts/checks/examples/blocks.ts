/**
 * The fenced blocks of the pages and READMEs, and the tests that run them. The info string of a block names its kind; a
 * block without a known kind fails a test.
 *
 * @module
 */
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { ROOT } from '@svc/platform/workspace'

export interface Block {
  /** `README.md:14` */
  readonly place: string
  /** The info string. */
  readonly info: string
  readonly text: string
}

export interface Runner {
  readonly takes: RegExp
  /** The test that runs blocks of this kind; null if there is nothing to run. */
  readonly file: string | null
}

const DOCUMENTS = [
  '*.md',
  'docs/**/*.md',
  'packages/*/*.md',
  'examples/*/README.md',
  'workers/*/README.md',
  'workers/docs/pages/*.md',
  'workers/docs/pages/*/*.md',
] as const

const OURS = 'scripts/checks/examples'
const QUICKSTART = 'scripts/checks/quickstart/quickstart.test.ts'

/** One per kind of block. */
export const RUNNERS: Readonly<Record<string, Runner>> = {
  'JSON of a schema': { takes: /^json example=[a-z0-9-]+$/, file: 'workers/docs/test/pages/examples.test.ts' },
  'JSON that was recorded from a running platform': {
    takes: /^json recorded=[a-z]+\/[a-zA-Z]+\/(?:request|\d{3})$/,
    file: 'scripts/checks/running-platform/recorded-notes.test.ts',
  },
  'TypeScript with the SDK': { takes: /^ts example=[a-z0-9-]+ run$/, file: 'workers/docs/test/pages/examples.test.ts' },
  'a request byte for byte': { takes: /^http$/, file: 'workers/docs/test/pages/examples.test.ts' },
  'text that JSON of the page encodes to': {
    takes: /^text of=[a-z0-9-]+$/,
    file: 'workers/docs/test/pages/consent-page.test.ts',
  },
  'a page of a site': { takes: /^html page$/, file: 'scripts/checks/browser/html-pages.test.ts' },
  'the graph of bindings, and smaller diagrams': { takes: /^mermaid$/, file: `${OURS}/graph.test.ts` },
  'TypeScript against a local start': { takes: /^ts local$/, file: `${OURS}/programs.fixture.ts` },
  'JavaScript for Node.js against a local start': { takes: /^js local$/, file: `${OURS}/programs.fixture.ts` },
  'Python against a local start': { takes: /^py local$/, file: `${OURS}/programs.fixture.ts` },
  'TypeScript with the installed packages': {
    takes: /^ts packages$/,
    file: 'scripts/release/packaging/matrix/matrix.test.ts',
  },
  'what such a program prints': { takes: /^text output$/, file: `${OURS}/programs.fixture.ts` },
  'commands against a local start': { takes: /^sh local$/, file: `${OURS}/platform.test.ts` },
  'a program of the quickstart, with the name of its file': {
    takes: /^ts quickstart [a-z]+\.ts$/,
    file: QUICKSTART,
  },
  'the page of the quickstart, with the name of its file': {
    takes: /^html quickstart [a-z]+\/[a-z]+\.html$/,
    file: QUICKSTART,
  },
  'commands of the quickstart': { takes: /^sh quickstart$/, file: QUICKSTART },
  'what you see in the quickstart': { takes: /^text quickstart[ a-z]*$/, file: QUICKSTART },
  'commands that run without a network': { takes: /^sh run$/, file: `${OURS}/blocks.test.ts` },
  'how to install the packages': { takes: /^sh packages$/, file: 'scripts/release/packaging/from-clone.test.ts' },
  // A test of the same name as the example's folder starts it.
  'the command of an example': { takes: /^sh example$/, file: `${OURS}/readmes.test.ts` },
  // Each command and option must occur in the help text of its script.
  'commands that need an account': { takes: /^sh account$/, file: `${OURS}/blocks.test.ts` },
  'commands that go on, or take minutes': { takes: /^sh long$/, file: `${OURS}/blocks.test.ts` },
  // Each function must exist in the packages.
  'signatures of functions': { takes: /^text calls$/, file: `${OURS}/blocks.test.ts` },
  'the form of something, with gaps': { takes: /^text form$/, file: null },
}

export function blocksIn(markdown: string, document: string): Block[] {
  const blocks: Block[] = []
  let open: { fence: string; info: string; line: number; text: string[] } | undefined
  for (const [at, line] of markdown.split('\n').entries()) {
    const [, fence = '', info = ''] = /^\s*(`{3,}|~{3,})(.*)$/.exec(line) ?? []
    if (open === undefined) {
      if (fence !== '') open = { fence, info: info.trim(), line: at + 1, text: [] }
    } else if (fence.startsWith(open.fence) && info.trim() === '') {
      blocks.push({ place: `${document}:${open.line}`, info: open.info, text: open.text.join('\n') })
      open = undefined
    } else open.text.push(line)
  }
  if (open !== undefined) throw new Error(`${document}:${open.line}: the fence is not closed`)
  return blocks
}

export function allBlocks(): Block[] {
  const files = globSync([...DOCUMENTS], { cwd: ROOT, exclude: (name) => name.includes('node_modules') }).toSorted()
  return files.flatMap((file) => blocksIn(readFileSync(join(ROOT, file), 'utf8'), file))
}

export function runnersOf({ info }: Block): string[] {
  return Object.entries(RUNNERS).flatMap(([name, { takes }]) => (takes.test(info) ? [name] : []))
}

/** The commands of a block, one per line; lines that begin with `#` are comments. */
export function commandsOf({ text }: Block): string[] {
  return text.split('\n').filter((line) => line !== '' && !line.startsWith('#'))
}

/** Commands in running text: `scripts/name` and its arguments. */
export function inlineCommands(): { readonly place: string; readonly command: string }[] {
  const files = globSync([...DOCUMENTS], { cwd: ROOT, exclude: (name) => name.includes('node_modules') }).toSorted()
  return files.flatMap((file) =>
    [...readFileSync(join(ROOT, file), 'utf8').matchAll(/`(scripts\/[a-z-]+(?: [^`\n]*)?)`/g)].map(
      ([, command = '']) => ({
        place: file,
        command,
      }),
    ),
  )
}
