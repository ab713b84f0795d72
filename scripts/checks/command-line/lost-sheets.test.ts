/** Sheets whose words are all lost, replaced with `svc` by root key and device on two machines, against a running platform. */
import { setTimeout as sleep } from 'node:timers/promises'
import { sharedPlatform } from '@svc/platform/shared-platform'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { PlatformMachine } from './machine.ts'
import { ownerWithSheet } from './owner-with-sheet.ts'

const MAX_MS = 300_000
const DAY_MS = 86_400_000
const { core } = sharedPlatform().urls
const [laptop, phone] = [new PlatformMachine(), new PlatformMachine()]
afterAll(() => {
  for (const machine of [laptop, phone]) machine.remove()
})

interface Sent {
  readonly rotationId: string
  readonly deadline: number | null
}

/** Not active for a window yet, or asked too often in this minute. */
const NOT_YET = /not_eligible|rate_limited/

/** Runs it on the phone until the phone has been active for a window. */
async function sentByPhone(words: string): Promise<Sent> {
  for (const until = Date.now() + MAX_MS / 2; ; await sleep(2000)) {
    const { code, stdout, stderr } = await phone.run(words)
    if (code === 0) return JSON.parse(stdout) as Sent
    if (Date.now() > until || !NOT_YET.test(stderr)) throw new Error(stderr)
  }
}

describe('sheets whose words are all lost', () => {
  beforeAll(async () => {
    const { root, device, words } = await ownerWithSheet(core)
    laptop.write('keys.json', root)
    phone.write('keys.json', device)
    laptop.write('found.txt', words)
    for (const machine of [laptop, phone]) {
      await machine.json(`init --core ${core}`)
      await machine.json('id import keys.json')
    }
  }, MAX_MS)

  it('are replaced by root key and device, unless the words of one end it', { timeout: MAX_MS }, async () => {
    const { rotationId } = await laptop.json<Sent>('rotate start --lost-sheets --sheet-file new.txt')
    expect(await laptop.failure('rotate start --lost-sheets --sheet-file newer.txt')).toBe('2 usage')
    expect(await laptop.failure('rotate activate')).toBe('5 rotation_not_pending')
    phone.write('request.json', laptop.read('request.json'))
    const sent = await sentByPhone('rotate cosign --request request.json')
    expect(sent).toMatchObject({ rotationId, status: 'pending', basis: 'replacement', cosignatures: 1 })
    expect((sent.deadline ?? 0) - Date.now()).toBeGreaterThan(29 * DAY_MS)
    expect(await laptop.json('rotate status', 4)).toMatchObject({ rotation: { rotationId, basis: 'replacement' } })
    expect(await laptop.failure('rotate activate')).toBe('5 rotation_window_open')
    expect(await laptop.failure('rotate veto --words new.txt')).toBe('5 not_eligible')
    expect(await laptop.json('rotate veto --words found.txt')).toMatchObject({ rotationId, status: 'frozen' })
  })
})
