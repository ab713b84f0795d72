/** `verify --offline` with what `init` pinned: the list of logs, and the realms of the deployment. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { FileStore } from '@svc/client/node'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { NOBODY, Profiles } from '../src/settings/profiles.ts'
import { anchorOf, COSIGNED_AT, checkpointOf, newLogKey } from './evidence-files.ts'
import { makeFiles, REALM } from './files.ts'
import { newMachine } from './svc.ts'

const machine = newMachine({
  fetch: async (url) => {
    throw new Error(`Asked for ${url}`)
  },
})
afterAll(() => machine.remove())
const { identity, message } = await makeFiles()
const key = newLogKey()
const anchor = await anchorOf(identity, new TextEncoder().encode('a plan'), key)
const store = new FileStore(join(machine.home, '.local/state/svc/https-core.example.json'))

beforeAll(async () => {
  const profile = { core: REALM, realm: REALM, origin: null, docs: '', ...NOBODY }
  await new Profiles(join(machine.home, '.config/svc')).write('default', profile)
  await store.set('pin', { list: { statement: { realms: [REALM, 'https://earlier.example'], services: [] } } })
  writeFileSync(join(machine.home, 'plan.txt'), 'a plan')
  writeFileSync(join(machine.home, 'anchor.json'), JSON.stringify(anchor))
  writeFileSync(join(machine.home, 'checkpoints.json'), JSON.stringify([checkpointOf(key, 5, 'ab'.repeat(48))]))
  writeFileSync(join(machine.home, 'message.json'), JSON.stringify(message))
})

describe.each([
  ['anchor.json', ' --file plan.txt'],
  ['checkpoints.json', ''],
])('%s, offline', (name, file) => {
  const words = `verify ${name}${file} --offline`

  it('is valid if its log is on the list', async () => {
    await store.set('svc/log-list', { logs: [anchor.log] })
    const { code, stdout, stderr } = await machine.svc(words)
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect(stdout).toContain('valid: ')
  })

  it('is undecided if its log is not on the list, or the list is for another deployment', async () => {
    await store.set('svc/log-list', { logs: [{ ...anchor.log, log: `${REALM}/anchors/2025a` }] })
    expect((await machine.svc(words)).code).toBe(4)
    await store.set('svc/log-list', { logs: [anchor.log] })
    expect((await machine.svc(`${words} --realm https://other.example`)).code).toBe(4)
  })

  it('is invalid if the list gives the log another key', async () => {
    await store.set('svc/log-list', { logs: [{ ...anchor.log, publicKeyB64u: newLogKey().publicKeyB64u }] })
    const { code, stderr } = await machine.svc(words)
    expect(code).toBe(3)
    expect(stderr).toContain('wrong_log')
  })
})

describe('an anchor that a witness cosigned', () => {
  const [witness, other] = [newLogKey(), newLogKey()]
  const since = async (demanded: object | null) => {
    await store.set('svc/log-list', { logs: [anchor.log] })
    await store.set('svc/witnesses', demanded)
    const cosigned = await anchorOf(identity, new TextEncoder().encode('a plan'), key, { witness })
    writeFileSync(join(machine.home, 'cosigned.json'), JSON.stringify(cosigned))
    const { code, stdout } = await machine.svc('verify cosigned.json --file plan.txt --offline')
    expect(code).toBe(0)
    return stdout.split('\n').find((line) => line.includes('since: '))
  }

  it('is as old as the witness says, if it is one that somebody demands', async () => {
    expect(await since({ threshold: 1, publicKeysB64u: [other.publicKeyB64u, witness.publicKeyB64u] })).toBe(
      `  ok  since: ${new Date(COSIGNED_AT).toISOString()}, cosigned by 1 of the witnesses that you demand`,
    )
  })

  it.each([
    ['nobody', null],
    ['another witness', { threshold: 1, publicKeysB64u: [other.publicKeyB64u] }],
    ['two of them', { threshold: 2, publicKeysB64u: [other.publicKeyB64u, witness.publicKeyB64u] }],
  ])('is as old as the log says, if somebody demands %s', async (_, demanded) => {
    expect(await since(demanded)).toBe(
      '  ??  since: 2026-09-21T14:13:20.000Z, which is the log’s own word: one witness has cosigned it, and not as many as you demand with svc trust',
    )
  })

  it('is as old as the log says, if nobody cosigned it', async () => {
    const { stdout } = await machine.svc('verify anchor.json --file plan.txt --offline')
    expect(stdout).toContain('which is the log’s own word: no witness has cosigned it\n')
  })
})

describe('an anchor of the first form', () => {
  const { first: _, cosigned: __, ...logged } = anchor
  writeFileSync(join(machine.home, 'former.json'), JSON.stringify({ ...logged, format: 'svc/anchor-bundle/v1' }))

  it('is not verified before it is upgraded', async () => {
    const { code, stdout } = await machine.svc('verify former.json --file plan.txt --offline')
    expect(code).toBe(4)
    expect(stdout).toContain('??  form: the first one of bundles, which proves nothing before it is upgraded')
    expect(stdout).toContain('Next: svc anchor upgrade')
    expect(stdout).not.toContain('ok  ')
  })

  it('is shown by nothing else', async () => {
    const { code, stderr } = await machine.svc('anchor info former.json')
    expect(code).toBe(3)
    expect(stderr).toContain('former.json has the first form of bundles. Next: svc anchor upgrade former.json')
  })
})

it('a message is valid for each realm of the deployment', async () => {
  expect((await machine.svc('verify message.json --offline')).code).toBe(0)
  await store.set('pin', { list: { statement: { realms: ['https://moved.example'], services: [] } } })
  expect((await machine.svc('verify message.json --offline')).code).toBe(3)
})
