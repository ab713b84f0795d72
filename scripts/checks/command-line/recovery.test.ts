/** Holds, vetoes, guardians and recoveries with `svc`, against a running platform. */
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { importKeys } from '@svc/client/backup'
import { wordsOf } from '@svc/client/recovery-words'
import { sharedPlatform } from '@svc/platform/shared-platform'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { PASSPHRASE } from '../../../packages/cli/test/svc.ts'
import { PlatformMachine } from './machine.ts'

const { core } = sharedPlatform().urls
const [owner, guardian] = [new PlatformMachine(), new PlatformMachine()]
afterAll(() => {
  owner.remove()
  guardian.remove()
})

interface New {
  readonly did: string
  readonly recovery: string
}

let made: New
let attester: New
beforeAll(async () => {
  for (const machine of [owner, guardian]) await machine.json(`init --core ${core}`)
  made = await owner.json<New>('id new')
  attester = await guardian.json<New>('id new')
}, 60_000)

describe('a hold', () => {
  it('stops writing until it is lifted', async () => {
    await owner.json('rotate hold')
    const refused = await owner.run('chain append --file -')
    expect(refused.code).toBe(5)
    expect(JSON.parse(refused.stderr)).toMatchObject({ error: { code: 'security_hold' } })
    await owner.json('rotate lift')
    expect(await owner.json('chain append --file -')).toMatchObject({ index: '1' })
  })
})

describe('guardians', () => {
  it('attest the file that they were given', async () => {
    for (const machine of [owner, guardian]) machine.write('will.pdf', 'my will')
    const opened = await owner.json<{ requestId: string }>(
      `guardian set --subject will.pdf --guardian ${attester.did}`,
      4,
    )
    const about = opened.requestId
    expect(await owner.json(`guardian status ${about}`, 4)).toMatchObject({ attested: 0, threshold: 1 })
    guardian.write('other.pdf', 'another will')
    expect((await guardian.run(`guardian approve ${about} --subject other.pdf`)).code).toBe(3)
    expect(await guardian.json(`guardian approve ${about} --subject will.pdf`)).toMatchObject({ state: 'met' })
    expect(await owner.json(`guardian status ${about}`)).toMatchObject({ state: 'met' })
  })
})

describe('a rotation that the owner did not ask for', () => {
  it('is stopped', async () => {
    const { rotationId } = await owner.json<{ rotationId: string }>('rotate start', 4)
    expect(await owner.json('rotate veto')).toMatchObject({ rotationId, status: 'frozen' })
    expect(await owner.json('rotate status')).toMatchObject({ rotation: { rotationId, status: 'frozen' } })
    expect((await owner.run('rotate veto')).code).toBe(5)
  })
})

describe('a recovery', () => {
  it('gets the identity back with the recovery key and the device, and replaces the keys here', async () => {
    expect(await owner.json('recovery status')).toMatchObject({ stage: 'ready' })
    const { words, code } = await owner.json<{ words: string[]; code: string }>(`recovery sheet ${made.recovery}`)
    owner.write('words.txt', words.map((word, at) => `${at + 1} ${word}`).join('\n'))
    owner.write('code.txt', `${code}\n`)
    owner.write('wrong.txt', [...words.slice(1), 'qwerty'].join(' '))
    owner.write('other.txt', wordsOf(new Uint8Array(32).fill(1)))
    expect(await owner.failure('recovery run wrong.txt')).toBe('2 usage')
    expect(await owner.failure('recovery run other.txt')).toBe('7 key_missing')
    expect((await owner.run('recovery run words.txt')).code).toBe(4)
    const { content } = await owner.json<{ content: string }>('id export')
    const { recovery } = await importKeys(JSON.parse(content), PASSPHRASE)
    owner.write('requests.json', JSON.stringify(recovery))
    const until = Date.now() + 60_000
    let ended = await owner.run('recovery run code.txt --requests requests.json')
    while (ended.code === 4 && Date.now() < until) {
      await sleep(1000)
      ended = await owner.run(`recovery run ${made.recovery}`)
    }
    expect(ended.code, ended.stderr).toBe(0)
    expect(JSON.parse(ended.stdout)).toMatchObject({ status: { stage: 'done' }, needs: null })
    expect(await owner.json('id show')).toMatchObject({ root: { epoch: 1 }, devices: [{ isAttested: true }] })
    await owner.json('chain append --file -')
    expect(await owner.json('chain verify')).toMatchObject({ verdict: 'valid' })
    expect(await owner.json('rotate history')).toHaveProperty('keys.length', 2)
  }, 90_000)

  it('is prepared again for the new key', async () => {
    expect((await owner.run('recovery status')).code).toBe(7)
    await owner.json(`recovery prepare --out ${join(owner.home, 'recovery.json')}`)
    expect(await owner.json('id show')).toMatchObject({ hasRecovery: true })
  })
})
