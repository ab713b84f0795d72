import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import manifest from '../package.json' with { type: 'json' }
import { GROUPS } from '../src/groups.ts'
import { programOf } from '../src/program.ts'
import { newMachine } from './svc.ts'

const machine = newMachine()
const NOWHERE = { stdout: () => {}, stderr: () => {}, hasColours: false, errorsHaveColours: false }
const svc = (words: string | readonly string[]) => machine.svc(words)
afterAll(() => machine.remove())

describe('help', () => {
  it('shows the tree and the exit codes', async () => {
    const { code, stdout, stderr } = await svc('--help')
    expect(code).toBe(0)
    expect(stderr).toBe('')
    for (const { name, commands } of GROUPS) expect(stdout).toContain(name ?? commands[0]?.path)
    expect(stdout).toContain('7 key missing or locked')
    // The first commands are those of the page.
    const start = (stdout.match(/^ {2}\$ svc .+$/gm) ?? []).map((line) => line.trim().slice(2))
    const page = readFileSync(join(import.meta.dirname, '../../../workers/docs/pages/developer/cli.md'), 'utf8')
    expect(start.length).toBeGreaterThan(3)
    expect(page).toContain(`\n${start.join('\n')}\n`)
  })

  it('has examples for each command, which call that command', async () => {
    for (const { path, examples } of GROUPS.flatMap(({ commands }) => commands)) {
      const { code, stdout } = await svc(`${path} --help`)
      expect(code, path).toBe(0)
      expect(examples.length, path).toBeGreaterThan(0)
      for (const example of examples) {
        expect(stdout, path).toContain(`$ ${example}`)
        expect(example.startsWith(`svc ${path}`), example).toBe(true)
      }
    }
  })

  it('is a usage error without a command', async () => {
    const { code, stderr } = await svc([])
    expect(code).toBe(2)
    expect(stderr).toContain('Usage: svc')
  })

  it('gives no option of a command the name of one that every command takes', () => {
    const own = GROUPS.flatMap(({ commands }) => commands).flatMap(({ path, options = [] }) =>
      options.flatMap(([flags]) => (flags.match(/--?[\w-]+/g) ?? []).map((flag) => `${path} ${flag}`)),
    )
    const shared = programOf(async () => {}, NOWHERE).options
    const names = shared.flatMap(({ short, long }) => [short, long])
    expect(names).toContain('--profile')
    expect(own.filter((one) => names.includes(one.split(' ').at(-1)))).toEqual([])
  })

  it('tells the version of the package', async () => {
    expect(await svc('--version')).toEqual({ code: 0, stdout: `${manifest.version}\n`, stderr: '' })
  })
})

describe('a mistake', () => {
  it.each([
    ['nonsense', "unknown command 'nonsense'", ''],
    ['id nonsense', "unknown command 'nonsense'", 'id '],
    ['id list --nonsense', "unknown option '--nonsense'", 'id list '],
    ['id import', "missing required argument 'file'", 'id import '],
    ['whoami --passphrase-fd 1', '--passphrase-fd takes 0, or the number of a descriptor from 3 on', 'whoami '],
    ['whoami --passphrase-fd secret', '--passphrase-fd takes 0', 'whoami '],
  ])('%s ends with 2 in one line, and names the help of the command', async (words, message, command) => {
    const { code, stdout, stderr } = await svc(words)
    expect(code).toBe(2)
    expect(stdout).toBe('')
    expect(stderr).toContain(message)
    expect(stderr.trim().split('\n')).toHaveLength(1)
    expect(stderr).toMatch(/^error: .+\. See http:\/\/localhost:8794\/developer\/cli\n$/)
    expect(stderr).toContain(` Next: svc ${command}--help. See `)
  })

  it('has the address of its page, where the profile knows the documentation', async () => {
    const docs = 'https://docs.example'
    const profile = {
      core: 'https://core.example',
      realm: 'https://core.example',
      origin: null,
      did: null,
      signer: null,
    }
    const folder = join(machine.home, '.config/svc/profiles')
    mkdirSync(folder, { recursive: true })
    writeFileSync(join(folder, 'work.json'), JSON.stringify({ ...profile, docs }))
    expect((await svc('id nonsense --profile work')).stderr).toMatch(/See https:\/\/docs\.example\/developer\/cli\n$/)
    expect((await svc('did resolve --profile work')).stderr).toContain('See https://docs.example/developer/cli#keys')
  })

  it.each(['-MDYxrvDCwpdRNMZLn0Tiw', '--DYxrvDCwpdRNMZLn0Tiw'])('%s is an id, and no mistake', async (id) => {
    for (const words of [
      ['note', 'read', id],
      ['note', 'file', id, 'photo.jpg'],
      ['note', 'write', '--over', id, '--file', '-'],
    ])
      expect((await svc([...words, '--json'])).stderr).toContain('No deployment is chosen yet')
    expect((await svc(['explain', 'error', id])).stderr).toContain(`No service answers the error "${id}"`)
  })

  it.each([
    ['signin login ann --password-fd secret', '--password-fd takes the number of a descriptor'],
    ['signin provider elsewhere', '"elsewhere" is not a provider'],
    ['directory allow nobody', '"nobody" is not a choice'],
    ['device pair --relay --code code.txt', 'The relay hands a key to the device, and none is given'],
    ['asset receipt ASSET', 'The token is missing'],
  ])('%s is refused before anything is asked of a service', async (words, message) => {
    const { code, stderr } = await svc(`${words} --profile work --passphrase-fd 3`)
    expect(stderr).toContain(message)
    expect(code).toBe(2)
  })

  it('is JSON with --json', async () => {
    const { code, stderr } = await svc('id list --nonsense --json')
    expect(code).toBe(2)
    expect(JSON.parse(stderr)).toMatchObject({ error: { exitCode: 2, code: 'usage', next: 'svc id list --help' } })
  })
})

describe('completion', () => {
  it.each(['bash', 'zsh', 'fish', 'powershell'])('has a script for %s', async (shell) => {
    const { code, stdout } = await svc(`completion ${shell}`)
    expect(code).toBe(0)
    expect(stdout).toContain(shell === 'powershell' ? "-CommandName 'svc'" : 'svc')
    expect(stdout).toContain('complete')
  })

  it('completes commands and options', async () => {
    expect((await svc(['complete', '--', 'id', ''])).stdout).toMatch(/^list\t/m)
    expect((await svc(['complete', '--', 'id', 'export', '--o'])).stdout).toMatch(/^--out\t/m)
  })

  it('refuses another shell', async () => {
    const { code, stderr } = await svc('completion tcsh')
    expect(code).toBe(2)
    expect(stderr).toContain('choose one of bash, zsh, fish, powershell')
  })
})
