/**
 * The programs of the pages, run against the shared platform as a reader would run them.
 *
 * @module
 */
import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { capture } from '@svc/platform/command'
import { sharedPlatform } from '@svc/platform/shared-platform'
import { ROOT } from '@svc/platform/workspace'
import { CONTENTS } from '@svc/site/contents'
import { expect, it } from 'vitest'
import { here } from '../running-platform/here.ts'
import { allBlocks } from './blocks.ts'

const { secrets, mail } = sharedPlatform()
/** For programs that call `scripts/admin` or read the mail, which are in the state folder otherwise. */
const SEED_FILE = join(mkdtempSync(join(tmpdir(), 'svc-operator-')), 'seed')
writeFileSync(SEED_FILE, Buffer.from(secrets.operatorSeed).toString('hex'), { mode: 0o600 })
const STATE = { OPERATOR_SEED_FILE: SEED_FILE, MAIL_FOLDER: mail.folder }
const GUIDES = CONTENTS.find(({ title }) => title === 'Guides')?.slugs ?? []

/** Their programs take minutes together, so they run with `--full`. */
export const isGuide = (page: string) => GUIDES.some((slug) => page.endsWith(`/${slug}.md`))

/** Removes what differs between runs: DIDs and hashes, which pages abbreviate. */
function shapeOf(output: string): string {
  return output.replaceAll(/did:svc:[\w-]{32}/g, '<did>').replaceAll(/[0-9a-f]{96}|[0-9a-f]{16}…/g, '<hash>')
}

/** Each program sends from an address of its own: together they create more identities than one address may in a minute. */
const node = (inputType: string) => {
  const preloaded = ['running-platform/own-address.ts', 'installed-packages/imports-of-pages.ts'].map(
    (file) => `--import=${join(ROOT, 'scripts/checks', file)}`,
  )
  return [process.execPath, ...preloaded, `--input-type=${inputType}`, '--no-warnings', '-e']
}

/** How programs of a kind are run; null if their text is not for this test. */
const INTERPRETERS: Readonly<Record<string, readonly string[] | null>> = {
  'ts local': node('module-typescript'),
  'js local': node('module'),
  'py local': ['python3', '-c'],
  // Another test runs these.
  'ts packages': null,
}

const HAS_PYTHON = await capture('python3', ['--version']).then(
  ({ code }) => code === 0,
  () => false,
)

const PROGRAMS = Map.groupBy(
  allBlocks().filter(({ info }) => info === 'text output' || info in INTERPRETERS),
  ({ place }) => place.replace(/:\d+$/, ''),
)

/** Makes a test for each chosen page with programs. */
export function describeProgramsOf(isChosen: (page: string) => boolean): void {
  const chosen = [...PROGRAMS].filter(([page]) => isChosen(page))
  const python = chosen.flatMap(([, blocks]) => blocks.filter(({ info }) => info === 'py local'))
  it.skipIf(!HAS_PYTHON).each(python)('$place has the python3 that runs it', () => expect(HAS_PYTHON).toBe(true))
  // Some pages at a time: a program waits for the platform more than it computes.
  it.concurrent.each(chosen)(
    'runs the programs of %s, with the documented output',
    async (_, blocks) => {
      for (const [at, { info, place, text }] of blocks.entries()) {
        if (info === 'text output') {
          expect(INTERPRETERS, `${place} does not follow a program`).toHaveProperty(blocks[at - 1]?.info ?? '')
          continue
        }
        const interpreter = INTERPRETERS[info]
        if (!interpreter || (info === 'py local' && !HAS_PYTHON)) continue
        const next = blocks[at + 1]
        const shown = next?.info === 'text output' ? next.text : ''
        const [program = '', ...args] = interpreter
        const { code, output } = await capture(program, [...args, here(text)], STATE)
        expect({ place, code, output: shapeOf(output.trim()) }).toEqual({ place, code: 0, output: shapeOf(shown) })
      }
      // Some dozens of programs, one after the other.
    },
    600_000,
  )
}
