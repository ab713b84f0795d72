/** `svc` against a running platform, from the first `init` to a replaced root key. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { importKeys } from '@svc/client/backup'
import { sharedPlatform } from '@svc/platform/shared-platform'
import { afterAll, describe, expect, it } from 'vitest'
import { newMachine, type Outside, PASSPHRASE } from '../../../packages/cli/test/svc.ts'
import { freshAddress } from '../running-platform/fresh-address.ts'
import { SIGNER_PROGRAM } from './signer-program.ts'

const { core } = sharedPlatform().urls as { readonly core: string }

/** A machine at an address of its own, as people's devices are: pairings are counted by address. */
function machineSomewhere() {
  const address = freshAddress()
  const fetchFromThere = (url: string, init: RequestInit) => {
    const headers = new Headers(init.headers)
    headers.set('cf-connecting-ip', address)
    return fetch(url, { ...init, headers })
  }
  return newMachine({ fetch: fetchFromThere, descriptor: PASSPHRASE })
}

const machine = machineSomewhere()
const other = machineSomewhere()
const stranger = machineSomewhere()
const phone = machineSomewhere()
afterAll(() => {
  machine.remove()
  other.remove()
  stranger.remove()
  phone.remove()
})

/** Runs a command that must succeed, and returns its JSON. */
async function json<T>(words: string, more: Partial<Outside> = {}, on = machine): Promise<T> {
  const { code, stdout, stderr } = await on.svc(`${words} --json --yes --passphrase-fd 3`, more)
  expect(code, `svc ${words}: ${stderr}`).toBe(0)
  return JSON.parse(stdout) as T
}
const code = async (words: string) => (await machine.svc(`${words} --yes --passphrase-fd 3`)).code
const file = (name: string) => join(machine.home, name)
let did = ''

/** What both sides of a pairing have printed. */
async function pairWith(joiner: typeof machine) {
  const link = Promise.withResolvers<string>()
  const confirmation = Promise.withResolvers<string>()
  const pairing = machine.svc('device pair --yes --passphrase-fd 3', {
    isTerminal: true,
    answers: [() => confirmation.promise],
    onStderr: (text) => {
      const [found] = /svc:pair:[^']+/.exec(text) ?? []
      if (found !== undefined) link.resolve(found)
    },
  })
  const ended = pairing.then(({ stderr }) => {
    throw new Error(`svc device pair ended before it showed a link: ${stderr}`)
  })
  const joining = json<{ deviceId: string }>(
    `device join ${await Promise.race([link.promise, ended])}`,
    {
      onStderr: (text) => {
        const [, found] = /type this code there:\n\n {2}(\S.*)\n/.exec(text) ?? []
        if (found !== undefined) confirmation.resolve(found)
      },
    },
    joiner,
  )
  return Promise.all([pairing, joining])
}

describe('setting up', () => {
  it('pins the deployment, and finds nothing wrong', async () => {
    expect(await json('whoami').catch(() => null)).toBeNull()
    const { trust } = await json<{ trust: string }>(`init --core ${core}`)
    expect(trust).toBe('first-seen')
    expect(await json<{ trust: string }>('init')).toMatchObject({ trust: 'given' })
    const { ok, checks } = await json<{ ok: boolean; checks: { name: string; state: string; found: string }[] }>(
      'doctor',
    )
    expect(ok).toBe(true)
    expect(checks.find(({ name }) => name === 'clock')).toMatchObject({ state: 'ok' })
    for (const service of ['core', 'did', 'pay'])
      expect(checks.find(({ name }) => name === `service ${service}`)?.found).toMatch(/, version \d+\.\d+\.\d+$/)
    expect(checks.find(({ name }) => name === 'service keys')).toMatchObject({ state: 'ok' })
    expect(await json('capabilities')).toHaveProperty('features.notes.version', 2)
  })

  it('finds a clock that is wrong', async () => {
    const { code: ended, stdout } = await machine.svc('doctor', { now: () => Date.now() + 600_000 })
    expect(ended).toBe(5)
    expect(stdout).toMatch(/failed {2}clock: -\d+ ms at core/)
  })

  it('makes an identity with a device and a recovery key', async () => {
    const made = await json<{ did: string; deviceId: string; recovery: string }>('id new')
    did = made.did
    expect(JSON.parse(readFileSync(made.recovery, 'utf8'))).toMatchObject({ format: 'svc/identity-export/v1', did })
    expect(await json('whoami')).toMatchObject({ core, did, keys: 'file' })
    expect(await json('id show')).toMatchObject({
      devices: [{ deviceId: made.deviceId, isAttested: true }],
      hasRecovery: true,
    })
    expect(await code('id new')).toBe(2)
  })
})

describe('the chain', () => {
  it('is appended to, verified, exported and verified offline', async () => {
    writeFileSync(file('note.txt'), 'hello')
    expect(await json('chain append --file note.txt --type text/plain')).toMatchObject({ index: '1' })
    const { blocks } = await json<{ blocks: { index: string }[] }>('chain list')
    expect(blocks.map(({ index }) => index)).toEqual(['0', '1'])
    expect(await json('chain verify')).toMatchObject({ verdict: 'valid', index: '1' })
    await json('chain export --out chain.json')
    expect(await json(`verify chain.json --offline --did ${did}`)).toMatchObject({ kind: 'chain', verdict: 'valid' })
  })
})

describe('an anchor', () => {
  it('is stamped, upgraded, and verified with the evidence of before without a network', async () => {
    await json('anchor stamp note.txt')
    expect(await json('anchor info note.txt.anchor.json')).toMatchObject({
      isComplete: false,
      epoch: '-',
      isFindable: false,
    })
    const until = Date.now() + 60_000
    while ((await code('anchor upgrade note.txt.anchor.json')) === 4 && Date.now() < until) await sleep(1000)
    const stamp = 'note.txt.anchor.json'
    const verified = await json(`anchor verify ${stamp} note.txt --evidence known.json`)
    expect(verified).toMatchObject({ kind: 'anchor', verdict: 'valid', did })
    const fetchNothing = { fetch: () => Promise.reject(new Error('No network')) }
    expect(await json(`verify ${stamp} --file note.txt --offline --evidence known.json`, fetchNothing)).toMatchObject({
      verdict: 'valid',
    })
    // The keys that init pinned suffice; without them, nobody vouches for the log.
    expect(await json(`verify ${stamp} --file note.txt --offline`, fetchNothing)).toMatchObject({
      verdict: 'valid',
      did,
    })
    // Without the file, nothing says that it is the one.
    expect((await machine.svc(`verify ${stamp} --offline`, fetchNothing)).code).toBe(4)
    writeFileSync(join(stranger.home, stamp), readFileSync(file(stamp)))
    expect((await stranger.svc(`verify ${stamp} --offline --realm ${core}`, fetchNothing)).code).toBe(4)
    writeFileSync(file('other.txt'), 'other')
    expect(await code(`anchor verify ${stamp} other.txt`)).toBe(3)
  })

  it('is upgraded from the first form of bundles, and not touched while the log cannot be reached', async () => {
    const { first: _, cosigned: __, ...logged } = JSON.parse(readFileSync(file('note.txt.anchor.json'), 'utf8'))
    const former = JSON.stringify({ ...logged, format: 'svc/anchor-bundle/v1' })
    writeFileSync(file('former.json'), former)
    expect(await code('anchor verify former.json note.txt')).toBe(3)
    const fetchNothing = { fetch: () => Promise.reject(new Error('No network')) }
    expect((await machine.svc('anchor upgrade former.json', fetchNothing)).code).not.toBe(0)
    // What does not verify is not replaced either.
    writeFileSync(file('changed.json'), former.replace(logged.record.salt, 'A'.repeat(22)))
    expect(await code('anchor upgrade changed.json')).toBe(3)
    expect(readFileSync(file('former.json'), 'utf8')).toBe(former)
    expect(await json('anchor upgrade former.json')).toMatchObject({ isComplete: true, witnesses: expect.any(Number) })
    const upgraded = JSON.parse(readFileSync(file('former.json'), 'utf8'))
    expect(upgraded).toMatchObject({ format: 'svc/anchor-bundle/v2', nonceB64u: logged.nonceB64u })
    expect(await json('anchor verify former.json note.txt')).toMatchObject({ verdict: 'valid', did })
    expect(existsSync(file('former.json.next'))).toBe(false)
  })
})

describe('a DID and an asset', () => {
  it('are published and verified', async () => {
    const unregistered = await machine.svc(`verify ${did} --json`)
    expect(unregistered.code).toBe(5)
    expect(unregistered.stderr).toContain('"not_resolved"')
    expect(unregistered.stderr).toContain('svc did register')
    expect(unregistered.stderr).not.toContain('w3.org')
    await json('did register')
    expect(await json('did resolve')).toHaveProperty('didDocument.id', did)
    const nobody = await machine.svc(`verify did:svc:${'A'.repeat(32)} --json`)
    expect([nobody.code, nobody.stderr]).toEqual([5, expect.stringContaining('"not_resolved"')])
    expect(await json(`verify ${did}`)).toMatchObject({ kind: 'did', verdict: 'valid' })
    const { asset } = await json<{ asset: { assetId: string } }>('asset mint note.txt --mime text/plain')
    expect(await json(`asset show ${asset.assetId}`)).toMatchObject({ proof: { owner: 'proved', did } })
    await json(`asset export ${asset.assetId} --out asset.json`)
    expect(await json('verify asset.json')).toMatchObject({ kind: 'asset', verdict: 'valid', did })
  })
})

describe('another device', () => {
  it('joins with the link and the code, acts, and is revoked', async () => {
    await json(`init --core ${core}`, {}, other)
    writeFileSync(file('early.txt'), 'Before the other device.')
    const { noteId: earlyId } = await json<{ noteId: string }>('note write --file early.txt')
    const [paired, joined] = await pairWith(other)
    expect(paired.stdout).toContain(`The device ${joined.deviceId} has joined ${did}.`)
    expect(paired.stdout).toContain('Next: svc note share --all')
    expect(await json('chain head', {}, other)).toMatchObject({ index: '1' })
    expect((await other.svc('note list --passphrase-fd 3')).stdout).toContain('older than this device')
    expect(await json('note find device', {}, other)).toEqual({ notes: [], unread: 1 })
    expect(await code('note share')).toBe(2)
    expect(await json('note share --all --dry-run')).toMatchObject({ dryRun: true, shared: [earlyId] })
    expect(await json('note share --all')).toEqual({ shared: [earlyId], present: 0, unread: 0 })
    expect(await json('note share --all')).toEqual({ shared: [], present: 1, unread: 0 })
    expect(await json(`note read ${earlyId}`, {}, other)).toMatchObject({ body: 'Before the other device.' })
    const { devices } = await json<{ devices: { deviceId: string; status: string }[] }>('device list')
    expect(devices.find(({ deviceId }) => deviceId === joined.deviceId)).toMatchObject({ status: 'active' })
    await json(`device revoke ${joined.deviceId}`)
    expect((await other.svc('chain head --passphrase-fd 3')).code).toBe(5)
  })
})

describe('the root key', () => {
  it('is replaced after its window, and the key before no longer acts', async () => {
    writeFileSync(file('before.txt'), 'Written with the first key.')
    const { noteId } = await json<{ noteId: string }>('note write --file before.txt')
    await json(`init --core ${core}`, {}, phone)
    const [, { deviceId: phoneId }] = await pairWith(phone)
    expect(await json('doctor', {}, phone)).toMatchObject({ ok: true })
    const rehearsed = await machine.svc('rotate start --version 1 --dry-run --passphrase-fd 3')
    expect(rehearsed.stdout).toContain('Nothing was changed')
    const started = await machine.svc('rotate start --json --yes --passphrase-fd 3')
    expect(started.code, started.stderr).toBe(4)
    const { deadline } = JSON.parse(started.stdout) as { deadline: number }
    expect(await code('rotate status')).toBe(4)
    // The identity has a device, so the root key alone does not suffice.
    expect(await code('rotate activate')).toBe(5)
    await json('rotate cosign')
    await sleep(Math.max(0, deadline - Date.now()) + 500)
    expect(await json('rotate activate')).toMatchObject({ devices: 1, ended: [phoneId] })
    const { devices } = await json<{ devices: { deviceId: string; status: string }[] }>('device list')
    expect(devices.find(({ deviceId }) => deviceId === phoneId)).toMatchObject({ status: 'ended' })
    const asked = await phone.svc('doctor --json')
    expect(asked.code).toBe(5)
    const { checks } = JSON.parse(asked.stdout) as { checks: { name: string; state: string; next: string | null }[] }
    expect(checks.filter(({ state }) => state === 'failed')).toMatchObject([
      { name: 'device', next: expect.stringContaining('svc device pair') },
    ])
    await pairWith(phone)
    expect(await json('doctor', {}, phone)).toMatchObject({ ok: true })
    expect(await json('rotate history')).toHaveProperty('keys.length', 2)
    expect(await json('id show')).toMatchObject({ root: { epoch: 1 }, devices: [{ isAttested: true }] })
    expect(await json('chain verify')).toMatchObject({ verdict: 'valid' })
    // The key before still opens what was encrypted for it.
    expect(await json(`note read ${noteId}`)).toMatchObject({ body: 'Written with the first key.' })
    const listed = await machine.svc('note list --passphrase-fd 3')
    expect(listed.stdout, listed.stderr).toContain('Written with the first key.')
  })

  it('is used where another program holds it', async () => {
    const { identity } = await importKeys(JSON.parse((await machine.svc('id export')).stdout), PASSPHRASE)
    const seeds = identity?.revealSeeds()
    writeFileSync(file('seeds.json'), JSON.stringify([seeds?.signing, seeds?.kem].map((seed) => [...(seed ?? [])])))
    writeFileSync(file('signer.mjs'), SIGNER_PROGRAM)
    const signer = ['--signer', process.execPath, file('signer.mjs'), file('seeds.json')]
    const words = ['init', '--profile', 'signer', '--core', core, '--json', '--did']
    const made = await machine.svc([...words, did, ...signer])
    expect(made.code, made.stderr).toBe(0)
    expect(JSON.parse(made.stdout)).toMatchObject({ did, lineage: { epoch: 1 } })
    expect(await json('chain append --file - --profile signer')).toHaveProperty('block.epoch', 1)
    const refused = await machine.svc([...words, `did:svc:${'A'.repeat(32)}`, ...signer])
    expect(refused.code).not.toBe(0)
  })
})
