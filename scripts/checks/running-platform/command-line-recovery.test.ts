/** Holds, vetoes, guardians and recoveries with `svc`, against a running platform. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { sharedPlatform } from '@svc/platform/shared-platform'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Machine, newMachine, PASSPHRASE } from '../../../packages/cli/test/svc.ts'

const { core } = sharedPlatform().urls as { readonly core: string }
const [owner, guardian] = [0, 1].map(() =>
  newMachine({ fetch: (url, init) => fetch(url, init), descriptor: PASSPHRASE }),
) as [Machine, Machine]
afterAll(() => {
  owner.remove()
  guardian.remove()
})

const run = (words: string, on = owner) => on.svc(`${words} --json --yes --passphrase-fd 3`)

/** Runs a command that must end with 0, or with another code, and returns its JSON. */
async function json<T>(words: string, on = owner, expected = 0): Promise<T> {
  const { code, stdout, stderr } = await run(words, on)
  expect(code, `svc ${words}: ${stderr}`).toBe(expected)
  return JSON.parse(stdout) as T
}

interface New {
  readonly did: string
  readonly recovery: string
}

let made: New
let attester: New
beforeAll(async () => {
  for (const machine of [owner, guardian]) await json(`init --core ${core}`, machine)
  made = await json<New>('id new')
  attester = await json<New>('id new', guardian)
}, 60_000)

describe('a hold', () => {
  it('stops writing until it is lifted', async () => {
    await json('rotate hold')
    const refused = await run('chain append --file -')
    expect(refused.code).toBe(5)
    expect(JSON.parse(refused.stderr)).toMatchObject({ error: { code: 'security_hold' } })
    await json('rotate lift')
    expect(await json('chain append --file -')).toMatchObject({ index: '1' })
  })
})

describe('guardians', () => {
  it('attest the file that they were given', async () => {
    for (const machine of [owner, guardian]) writeFileSync(join(machine.home, 'will.pdf'), 'my will')
    const opened = await json<{ requestId: string }>(
      `guardian set --subject will.pdf --guardian ${attester.did}`,
      owner,
      4,
    )
    const about = opened.requestId
    expect(await json(`guardian status ${about}`, owner, 4)).toMatchObject({ attested: 0, threshold: 1 })
    writeFileSync(join(guardian.home, 'other.pdf'), 'another will')
    expect((await run(`guardian approve ${about} --subject other.pdf`, guardian)).code).toBe(3)
    expect(await json(`guardian approve ${about} --subject will.pdf`, guardian)).toMatchObject({ state: 'met' })
    expect(await json(`guardian status ${about}`)).toMatchObject({ state: 'met' })
  })
})

describe('a rotation that the owner did not ask for', () => {
  it('is stopped', async () => {
    const { rotationId } = await json<{ rotationId: string }>('rotate start', owner, 4)
    expect(await json('rotate veto')).toMatchObject({ rotationId, status: 'frozen' })
    expect(await json('rotate status')).toMatchObject({ rotation: { rotationId, status: 'frozen' } })
    expect((await run('rotate veto')).code).toBe(5)
  })
})

describe('a recovery', () => {
  it('gets the identity back with the recovery key and the device, and replaces the keys here', async () => {
    expect(await json('recovery status')).toMatchObject({ stage: 'ready' })
    const until = Date.now() + 60_000
    let ended = await run(`recovery run ${made.recovery}`)
    while (ended.code === 4 && Date.now() < until) {
      await sleep(1000)
      ended = await run(`recovery run ${made.recovery}`)
    }
    expect(ended.code, ended.stderr).toBe(0)
    expect(JSON.parse(ended.stdout)).toMatchObject({ status: { stage: 'done' }, needs: null })
    expect(await json('id show')).toMatchObject({ root: { epoch: 1 }, devices: [{ isAttested: true }] })
    await json('chain append --file -')
    expect(await json('chain verify')).toMatchObject({ verdict: 'valid' })
    expect(await json('rotate history')).toHaveProperty('keys.length', 2)
  }, 90_000)

  it('is prepared again for the new key', async () => {
    expect((await run('recovery status')).code).toBe(7)
    await json(`recovery prepare --out ${join(owner.home, 'recovery.json')}`)
    expect(await json('id show')).toMatchObject({ hasRecovery: true })
  })
})
