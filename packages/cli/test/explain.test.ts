import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Identity } from '@svc/client'
import { afterAll, describe, expect, it } from 'vitest'
import { makeFiles, REALM } from './files.ts'
import { newMachine } from './svc.ts'

const machine = newMachine()
afterAll(() => machine.remove())
const { did, chain, message } = await makeFiles()
const file = (name: string, value: unknown) => writeFileSync(join(machine.home, name), JSON.stringify(value))

describe('an error', () => {
  it('has its meaning, what to do and the page', async () => {
    const { code, stdout } = await machine.svc('explain error stale_head')
    expect(code).toBe(0)
    expect(stdout).toMatch(
      /^stale_head, 409: .+\.\nNext: run it again.+\nSee http:\/\/localhost:8794\/developer\/errors#stale_head\n$/,
    )
  })

  it('ends with 2 for a name that nobody answers', async () => {
    expect((await machine.svc('explain error constructor')).code).toBe(2)
  })
})

describe('a block', () => {
  it('says whose it is, and that it is signed', async () => {
    file('block.json', chain[1])
    const { code, stdout } = await machine.svc('explain block block.json --json')
    expect(code).toBe(0)
    expect(JSON.parse(stdout)).toMatchObject({ index: '1', profile: 4, epoch: 0, signer: did, signature: 'valid' })
  })

  it('ends with 3 if it was changed', async () => {
    file('changed.json', { ...chain[1], dataHash: 'ab'.repeat(48) })
    const { code, stdout } = await machine.svc('explain block changed.json')
    expect(code).toBe(3)
    expect(stdout).toContain('signature     invalid')
  })
})

it('shows what a statement says', async () => {
  file('message.json', message)
  const { code, stdout } = await machine.svc('explain statement message.json')
  expect(code).toBe(0)
  expect(stdout).toContain('type      svc/message/v1\n')
  expect(stdout).toContain(`realm     ${REALM}\n`)
  file('other.json', { type: 'svc/unheard-of/v1' })
  expect((await machine.svc('explain statement other.json')).code).toBe(3)
})

it('says why an assertion is refused', async () => {
  const identity = await Identity.create()
  const url = `${REALM}/api/chain/head`
  const assertion = await identity.assertion({ method: 'GET', url, audience: 'chain', now: 1_790_000_000_000 })
  const words = ['explain', 'assertion', assertion, '--url', url, '--json']
  expect((await machine.svc(words, { now: () => 1_790_000_001_000 })).code).toBe(0)
  const late = await machine.svc(words, { now: () => 1_790_009_000_000 })
  expect(late.code).toBe(3)
  expect(JSON.parse(late.stdout)).toMatchObject({ ok: false, code: 'expired' })
})
