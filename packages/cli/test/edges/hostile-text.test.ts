/** What others wrote, as a command prints it: in results, in failures, in questions and as JSON. */
import { afterAll, describe, expect, it } from 'vitest'
import type { Environment } from '../../src/index.ts'
import { Output } from '../../src/output.ts'
import { guarded, own } from '../../src/terminal.ts'
import { newMachine } from '../svc.ts'

const machine = newMachine()
afterAll(() => machine.remove())

const HOSTILE = '\u001b]52;c;ZXZpbA==\u0007\u001b[2J\u009b31m\u202eevil\u2069'
/** What must not reach a terminal: all control characters but the tab and the end of a line, and those of direction. */
const OBEYED = /(?![\t\n])[\p{Cc}\p{Bidi_Control}]/u

function terminal(hasColours = false) {
  const out: (string | Uint8Array)[] = []
  const asked: string[] = []
  const ask = async (question: string) => {
    asked.push(question)
    return null
  }
  const environment = {
    stdout: (text: string | Uint8Array) => void out.push(text),
    stderr: (text: string) => void out.push(text),
    prompts: { password: ask, text: ask, confirm: async (question: string) => (await ask(question)) === '' },
    variables: {},
    isTerminal: false,
    hasColours,
    errorsHaveColours: hasColours,
  } as unknown as Environment
  const safe = guarded(environment)
  const output = (json = false) => new Output(safe, { json, quiet: false, dryRun: false })
  return { out, asked, safe, output }
}

describe('what others wrote', () => {
  it('is shown in results, notes, warnings and failures, and obeyed in none', () => {
    const { out, output } = terminal()
    output().result({ data: null, text: [HOSTILE, `and ${HOSTILE}`] })
    output().note(HOSTILE)
    output().say(HOSTILE)
    output().warn(HOSTILE)
    output().failure({ exitCode: 5, code: 'refused', message: HOSTILE, next: HOSTILE, page: HOSTILE })
    expect(out).toHaveLength(6)
    for (const text of out) {
      expect(text).not.toMatch(OBEYED)
      expect(text).toContain('\\u{001b}]52;c;ZXZpbA==\\u{0007}\\u{001b}[2J\\u{009b}31m\\u{202e}evil\\u{2069}')
    }
  })

  it('is the same value as JSON, with nothing that is obeyed', () => {
    const { out, output } = terminal()
    output(true).result({ data: { name: HOSTILE }, text: '' })
    output(true).failure({ exitCode: 5, code: 'refused', message: HOSTILE, next: '', page: '' })
    const [result, failure] = out.map(String)
    expect(JSON.parse(result ?? '')).toEqual({ name: HOSTILE })
    expect(JSON.parse(failure ?? '')).toMatchObject({ error: { message: HOSTILE } })
    expect(out.join('')).not.toMatch(OBEYED)
  })

  it('is shown in questions', async () => {
    const { asked, safe } = terminal()
    await safe.prompts.text(HOSTILE)
    await safe.prompts.password(HOSTILE)
    await safe.prompts.confirm(HOSTILE)
    expect(asked.join('')).not.toMatch(OBEYED)
  })

  it('in a file is shown at a terminal, and stays as it is for a file or a program', () => {
    const bytes = new TextEncoder().encode(HOSTILE)
    const [shown, kept] = [terminal(true), terminal()]
    shown.output().result({ data: null, text: '', bytes })
    kept.output().result({ data: null, text: '', bytes })
    expect(shown.out.join('')).not.toMatch(OBEYED)
    expect(kept.out).toEqual([bytes])
    const picture = { data: null, text: '', bytes: new Uint8Array([0x89, 0x50, 0x4e, 0x47]) }
    expect(() => shown.output().result(picture)).toThrow('not a text')
  })

  it('cannot make the colours of svc, which still work', () => {
    const { out, output } = terminal(true)
    const { colours } = output()
    output().result({
      data: null,
      text: `${colours.green('ok')} \u001b[32mfake\u001b[39m ${own('\u001b[0m').slice(1)}`,
    })
    expect(out.join('').startsWith('\u001b[32mok\u001b[39m \\u{001b}[32mfake')).toBe(true)
  })

  it('on the command line comes back as text', async () => {
    const { code, stderr } = await machine.svc(['verify', `no-such-${HOSTILE}`])
    expect(code).toBe(2)
    expect(stderr).not.toMatch(OBEYED)
  })
})
