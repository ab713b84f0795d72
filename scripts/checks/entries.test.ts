import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { capture } from '@svc/platform/command'
import { ROOT } from '@svc/platform/workspace'
import { beforeAll, expect, it } from 'vitest'

const top = readdirSync(join(ROOT, 'scripts'), { withFileTypes: true })
/** Runs a published program, which has a help and words of its own. */
const PROGRAM = 'scripts/svc'
const files = top.filter((entry) => entry.isFile()).map(({ name }) => `scripts/${name}`)
const entries = files.filter((name) => name !== PROGRAM)
const folders = top.filter((entry) => entry.isDirectory()).map(({ name }) => `scripts/${name}`)

it('scripts/ contains only entries and packages', () => {
  expect(entries.length).toBeGreaterThan(10)
  for (const entry of entries)
    expect(readFileSync(join(ROOT, entry), 'utf8'), entry).toMatch(
      /^#!\/bin\/sh\nset -eu\n\. "\$\(dirname "\$0"\)\/platform\/bootstrap\.sh"\nexec "\$NODE" scripts\/[a-z/-]+\.ts "\$@"\n$/,
    )
  for (const folder of folders) {
    const manifest = JSON.parse(readFileSync(join(ROOT, folder, 'package.json'), 'utf8')) as { name: string }
    expect(manifest).toMatchObject({ name: folder.replace('scripts/', '@svc/'), private: true })
    expect(readFileSync(join(ROOT, folder, 'README.md'), 'utf8')).toMatch(/^# [a-z]+\n/)
  }
})

// After a change of manifests, the first entry installs packages and prints that.
beforeAll(() => capture(join(ROOT, 'scripts/test'), ['--list']))

it.each(entries)('%s answers an unknown option in one line that names --help, with status 2', async (entry) => {
  const { code, output } = await capture(join(ROOT, entry), ['--no-such-option'])
  expect([code, output]).toEqual([2, `Unknown option '--no-such-option'; ${entry} --help lists the options.\n`])
})

it('the published program runs in the folder of its caller, and answers as it does elsewhere', async () => {
  expect(readFileSync(join(ROOT, PROGRAM), 'utf8')).toMatch(
    /^#!\/bin\/sh\nset -eu\n\. "\$\(dirname "\$0"\)\/platform\/bootstrap\.sh"\nroot=\$PWD\ncd "\$INIT_CWD"\nexec "\$NODE" "\$root\/packages\/cli\/src\/main\.ts" "\$@"\n$/,
  )
  // Without profiles of the caller, whose pages it would name, and without colours, which a caller may force.
  const plain = { XDG_CONFIG_HOME: join(ROOT, 'no-such-folder'), NO_COLOR: '1', FORCE_COLOR: '0' }
  const { code, output } = await capture(join(ROOT, PROGRAM), ['--no-such-option'], plain)
  const page = 'http://localhost:8794/developer/cli'
  expect([code, output]).toEqual([2, `error: unknown option '--no-such-option'. Next: svc --help. See ${page}\n`])
})

it('every entry has a help text', () => {
  for (const entry of entries) {
    const [, target = ''] = /(scripts\/\S+\.ts)/.exec(readFileSync(join(ROOT, entry), 'utf8')) ?? []
    expect(readFileSync(join(ROOT, target), 'utf8')).toContain(`Usage: ${entry}`)
  }
})
