/** Runs the examples of the groups that need a service of their own: content, pictures, governance, epochs, sign-in. */
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { sendOperatorAct } from '@svc/operations/operator-act'
import { governorOf } from '@svc/platform/callers/governor'
import { OWN_PAGE_ORIGIN } from '@svc/platform/local/pages'
import { sharedPlatform } from '@svc/platform/shared-platform'
import { ROOT } from '@svc/platform/workspace'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { Examples, OF_SERVICES } from './examples.ts'

const { urls, secrets, mail, gatewayUrl } = sharedPlatform()
const typing = new Examples((group) => OF_SERVICES.includes(group))
const { shells } = typing
afterAll(() => shells.remove())

beforeAll(async () => {
  await shells.open()
  await shells.json('me', `svc init --core ${urls.core}`)
  typing.ids.set('me', (await shells.json<{ did: string }>('me', 'svc id new')).did)
  await shells.json('me', 'svc did register')
}, 300_000)

const MAX_MS = 1_800_000

describe('the examples', { timeout: MAX_MS }, () => {
  it('of content, images and videos', async () => {
    const added = await fetch(gatewayUrl, {
      method: 'POST',
      body: crypto.getRandomValues(new Uint8Array(600)),
    })
    const CID = { with: { CID: await added.text() } }
    for (const line of ['pin CID --name poster', 'get CID --out poster.jpg', 'get CID >poster-2.jpg'])
      await typing.one(`svc content ${line}`, CID)
    await typing.several('svc content list', 'svc content takedowns')
    await typing.one('svc content remove CID --yes', CID)
    const seed = Math.floor(Math.random() * 1e9)
    paint('photo.png', seed)
    await typing.several('svc image register photo.png', 'svc image models')
    shells.write('me', 'copy.jpg', readFileSync(shells.pathOf('me', 'photo.png')))
    await typing.several('svc image search copy.jpg', 'svc image search copy.jpg --orientations')
    for (const scene of [1, 2, 3]) paint(`frame-${scene}.png`, seed + scene)
    shells.write('me', 'film.mp4', crypto.getRandomValues(new Uint8Array(64)))
    await typing.several(
      'svc video register film.mp4 --frames frame-*.png',
      'svc video search --frames frame-*.png --clip',
    )
  })

  it('of governance', async () => {
    const keyOf = async (person: string) =>
      (await shells.json<{ keys: { publicKeyB64u: string }[] }>(person, 'svc rotate history')).keys[0]?.publicKeyB64u
    const governor = await governorOf(secrets.operatorSeed)
    const signers = [
      { id: 'me', publicKeyB64u: await keyOf('me') },
      { id: 'governor', publicKeyB64u: governor.publicKeyB64u },
    ]
    const members = { policy: { version: 'v1', threshold: 1, signers }, previousPolicyId: null }
    const act = { type: 'svc/operator-governance-policy/v1', service: 'core', members } as const
    await sendOperatorAct({ service: urls.core, realm: urls.core }, secrets.operatorSeed, act)
    shells.write('me', 'policy.json', JSON.stringify({ ...members.policy, meta: { why: 'an example' } }))
    await typing.several('svc governance show', 'svc governance propose policy.json')
    await typing.several('svc governance sign proposal.json --yes')
    // The first policy is set once. Another test on this platform may have set it, for signers of its own.
    const { policy } = await shells.json<{ policy: { signers: { publicKeyB64u: string }[] } }>(
      'me',
      'svc governance show',
    )
    const isOurs = policy.signers.some(({ publicKeyB64u }) => publicKeyB64u === signers[0]?.publicKeyB64u)
    await typing.one('svc governance publish proposal.json --signed proposal.json.signed.json --yes', {
      ends: isOurs ? 0 : 5,
    })
    await typing.several('svc governance audit')
  })

  it('of epochs', async () => {
    const closesAt = async () => {
      const { output } = await shells.type('me', 'svc epoch show --json 2>>errors.txt')
      return (JSON.parse(output) as { epoch: { closesAt: number } | null }).epoch?.closesAt ?? 0
    }
    // One that another test has opened will do, unless it ends meanwhile.
    for (let end = await closesAt(); end < Date.now() + 30_000; end = await closesAt()) {
      if (end > 0) await sleep(Math.max(1_000, end - Date.now()))
      const now = Date.now()
      await sendOperatorAct(
        { service: urls.keys, realm: urls.core },
        secrets.operatorSeed,
        {
          type: 'svc/operator-epoch/v1',
          service: 'keys',
          members: { epoch: Math.floor(now / 1000), opensAt: now, closesAt: now + 90_000 },
        },
        { origin: 'http://localhost:3000' },
      )
    }
    await typing.several('svc epoch show', 'svc epoch join')
  })

  it('of accounts with a password', async () => {
    const name = `ann-${crypto.randomUUID().slice(0, 8)}`
    const address = `${name}@example.org`
    const put = (typed: string) => ({ with: { ann: typed, TOKEN: 'XXXX.DUMMY.TOKEN.XXXX' } })
    shells.write('me', 'password.txt', 'the password of an account')
    shells.write('me', 'secret.txt', 'a secret')
    await typing.paced('svc signin register ann --challenge TOKEN', put(name))
    await typing.paced('svc signin login ann', put(name))
    await typing.paced('svc signin show')
    await typing.paced('svc signin wrap ann secret.txt', put(name))
    await typing.paced('svc signin unwrap ann secret.txt.wrapped.json', put(name))
    await typing.paced('svc signin password ann', put(name))
    await typing.paced('svc signin sessions')
    await typing.paced('svc signin sessions --end-others')
    const [deviceId = ''] = (await typing.paced('svc signin devices')).split(' ')
    await typing.paced('svc signin devices --forget DEVICE', { with: { DEVICE: deviceId } })
    await typing.paced('svc signin devices --forget-all')
    await typing.paced('svc signin logout')
    await typing.paced('svc signin register ann --challenge TOKEN', { ...put(address), ends: 4 })
    await typing.paced('svc signin confirm 123456', { with: { 123456: await mail.codeIn(address) } })
    await typing.paced('svc signin delete --yes')
    const page = `${OWN_PAGE_ORIGIN}/welcome`
    const begun = await typing.paced('svc signin provider google --return-to http://localhost:3000/welcome', {
      with: { 'http://localhost:3000/welcome': page },
    })
    const arrived = program('browser.ts', begun.split('\n')[0] ?? '', page, address).trim()
    await typing.paced("svc signin return 'http://localhost:3000/welcome#ticket=TICKET'", {
      with: { 'http://localhost:3000/welcome#ticket=TICKET': arrived },
    })
  })

  it('are all of them', () => {
    expect(typing.left()).toEqual([])
  })
})

function paint(file: string, seed: number): void {
  program('picture.ts', String(seed), '160', '120', shells.pathOf('me', file))
}

/** What a program of the walk-through in shell prints. */
function program(name: string, ...words: string[]): string {
  const path = join(ROOT, 'scripts/walkthrough/command-line', name)
  return execFileSync(process.execPath, [path, ...words], { encoding: 'utf8' })
}
