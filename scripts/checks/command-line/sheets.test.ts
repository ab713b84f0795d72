/** Sheets of words with `svc` on a running platform: creates, confirms, rotates and recovers with them. */
import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { Identity } from '@svc/client'
import { printedKey } from '@svc/client/recovery-words'
import { sharedPlatform } from '@svc/platform/shared-platform'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { PlatformMachine } from './machine.ts'

const MAX_MS = 300_000
const { core } = sharedPlatform().urls
const [laptop, script, other] = [new PlatformMachine(), new PlatformMachine(), new PlatformMachine()]
afterAll(() => {
  for (const machine of [laptop, script, other]) machine.remove()
})
beforeAll(async () => {
  for (const machine of [laptop, script, other]) await machine.json(`init --core ${core}`)
}, MAX_MS)

interface New {
  readonly did: string
  readonly recovery: string
  readonly sheets: readonly { readonly confirmedAt: number | null }[]
}

/** A person at a terminal, who copies the words and types them again when asked. */
class Person {
  readonly sheets: string[][] = []

  readonly read = (text: string) => {
    if (/The (first|second|new) sheet/.test(text)) this.sheets.push([])
    for (const [, position, word = ''] of text.matchAll(/ ?(\d+) ([a-z]{3,8})/g))
      this.sheets.at(-1)?.splice(Number(position) - 1, 1, word)
  }

  readonly type = async (question: string) => this.sheets.at(-1)?.[Number(/\d+/.exec(question)?.[0]) - 1] ?? ''
}

/** Runs a recovery or an activation until it has ended. */
async function ended(machine: PlatformMachine, words: string) {
  const until = Date.now() + MAX_MS / 2
  for (;;) {
    const { code, stdout, stderr } = await machine.run(words)
    if (code === 0) return JSON.parse(stdout) as { recovery?: string }
    if (Date.now() > until || (code !== 4 && !stderr.includes('rotation_window_open'))) throw new Error(stderr)
    await sleep(4000)
  }
}

describe('an identity that a person makes', () => {
  const person = new Person()
  let made: New
  let renewed = ''
  let noteId = ''

  it('has two sheets and a recovery file after the person typed two words of each', { timeout: MAX_MS }, async () => {
    const { type } = person
    const wrong = 'zoo'
    const answers = [wrong, wrong, type, type, true, type, type]
    const more = { isTerminal: true, answers, onStderr: person.read }
    const { code, stdout, stderr } = await laptop.run('id new', more)
    expect(code, stderr).toBe(0)
    made = JSON.parse(stdout) as New
    expect(made.sheets.map(({ confirmedAt }) => confirmedAt)).toEqual([expect.any(Number), expect.any(Number)])
    expect(person.sheets.map((sheet) => sheet.length)).toEqual([24, 24])
    for (const [at, sheet] of person.sheets.entries()) laptop.write(`sheet-${at + 1}.txt`, sheet.join(' '))
    expect(statSync(made.recovery).mode & 0o777).toBe(0o600)
    for (const text of [stdout, laptop.read(made.recovery.slice(laptop.home.length + 1))])
      expect(text).not.toContain(person.sheets[0]?.slice(0, 3).join(' '))
    expect(await laptop.json('status')).toMatchObject({ did: made.did, hasFile: true, meaning: 'words_and_file' })
  })

  it('rotates to the key of a sheet, and the file is renewed', { timeout: MAX_MS }, async () => {
    const { signing } = printedKey(await Identity.create()).words
    laptop.write('key.txt', signing)
    expect(await laptop.failure('rotate start')).toBe('7 words_missing')
    expect(await laptop.failure('rotate start --words key.txt')).toBe('2 usage')
    laptop.write('note.txt', 'before the loss')
    const note = await laptop.json<{ noteId: string }>('note write --file note.txt')
    noteId = note.noteId
    await laptop.json('rotate start --words sheet-1.txt', 4)
    const { recovery } = await ended(laptop, 'rotate activate')
    renewed = recovery ?? ''
    expect(renewed).toContain('-epoch-2.json')
    expect(await laptop.json('status')).toMatchObject({ epoch: 1, hasFile: true, meaning: 'words_and_file' })
    expect(readdirSync(join(made.recovery, '..'))).toHaveLength(2)
  })

  it('is recovered on another machine with the other sheet and the file', { timeout: MAX_MS }, async () => {
    other.write('sheet.txt', person.sheets[1]?.map((word, at) => `${at + 1}. ${word}`).join('\n') ?? '')
    other.write('file.json', laptop.read(renewed.slice(laptop.home.length + 1)))
    await ended(other, 'recovery run sheet.txt --requests file.json')
    expect(await other.json('id show')).toMatchObject({ did: made.did, root: { epoch: 2 } })
    expect(await other.json('status')).toMatchObject({ sheets: [{}], meaning: 'words' })
    expect(await other.failure(`note read ${noteId} --accept-ended`)).toBe('3 wrong_key')
    const read = await other.json(`note read ${noteId} --accept-ended --words sheet.txt`)
    expect(read).toMatchObject({ body: 'before the loss' })
    // The machine has no record of the other sheet yet, so a rotation or a recovery file would end it.
    for (const command of ['rotate start --words sheet.txt', 'recovery prepare'])
      expect(await other.failure(command)).toBe('2 usage')
    other.write('other.txt', person.sheets[0]?.join(' ') ?? '')
    await other.json('recovery confirm other.txt')
    await other.json('recovery prepare')
    expect(await other.json('status')).toMatchObject({ sheets: [{}, {}], meaning: 'words_and_file' })
  })
})

describe('an identity that a script makes', () => {
  it('has its words in files, which count as confirmed only once they were read again', {
    timeout: MAX_MS,
  }, async () => {
    const made = await script.json<New>('id new --sheet-file first.txt second.txt')
    expect(made.sheets).toEqual([{ confirmedAt: null }, { confirmedAt: null }])
    expect(await script.json('status')).toMatchObject({ meaning: 'root_and_device' })
    script.write('wrong.txt', [...script.read('first.txt').trim().split(' ').slice(1), 'zoo'].join(' '))
    for (const wrong of ['wrong.txt', 'missing.txt'])
      expect(await script.failure(`recovery confirm ${wrong}`)).toBe('2 usage')
    expect(await script.json('recovery confirm second.txt')).toMatchObject({ sheet: 2 })
    expect(await script.json('status')).toMatchObject({ meaning: 'words_and_file' })
  })

  it('never overwrites the words of another identity', { timeout: MAX_MS }, async () => {
    await script.json(`init --core ${core} --profile second`)
    const again = 'id new --profile second --sheet-file first.txt'
    expect(await script.failure(again)).toBe('2 usage')
  })

  it('has no sheets with --no-sheets, and warns', { timeout: MAX_MS }, async () => {
    const { code, stdout, stderr } = await script.run('id new --profile second --no-sheets')
    expect([code, JSON.parse(stdout)]).toMatchObject([0, { sheets: [] }])
    expect(stderr).toContain('a thief of the root key can name the next one')
    expect(await script.json('status --profile second')).toMatchObject({ meaning: null })
  })
})
