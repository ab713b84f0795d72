/** Runs the examples of the groups in which other devices and people take part: the directory, organizations, guardians. */
import { execFileSync } from 'node:child_process'
import { chmodSync, readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { importKeys } from '@svc/client/backup'
import { licenceAct, sendOperatorAct } from '@svc/operations/operator-act'
import { sharedPlatform } from '@svc/platform/shared-platform'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { PASSPHRASE } from '../../../packages/cli/test/svc.ts'
import { DID, Examples, WITH_OTHERS } from './examples.ts'
import { ownerWithSheet } from './owner-with-sheet.ts'

const { urls, secrets } = sharedPlatform()
const typing = new Examples((group) => WITH_OTHERS.includes(group))
const { shells, ids } = typing
const idOf = (name: string) => typing.idOf(name)
afterAll(() => shells.remove())

beforeAll(async () => {
  await shells.open()
  shells.write('me', 'will.pdf', crypto.getRandomValues(new Uint8Array(600)))
  for (const person of ['me', 'friend']) {
    await shells.json(person, `svc init --core ${urls.core}`)
    ids.set(person, (await shells.json<{ did: string }>(person, 'svc id new')).did)
  }
  await shells.json('me', 'svc did register')
}, 300_000)

/** Some twenty programs one after the other. */
const MAX_MS = 1_800_000

describe('the examples', { timeout: MAX_MS }, () => {
  it('of the directory', async () => {
    await typing.several('svc directory publish')
    await typing.several('svc directory publish --add --count 20')
    const { devices } = await shells.json<{ devices: { deviceId: string }[] }>('me', 'svc device list')
    const DEVICE = { PDw8PDw8PDw8PDw8PDw8PDw8PDw8PDw8: devices[0]?.deviceId ?? '' }
    const mine = { ...DEVICE, [DID]: idOf('me') }
    await typing.one(`svc directory lookup ${DID}`, { as: 'friend', with: mine })
    await typing.one(`svc directory reserve ${DID} PDw8PDw8PDw8PDw8PDw8PDw8PDw8PDw8`, { as: 'friend', with: mine })
    await typing.one(
      `svc directory reserve ${DID} PDw8PDw8PDw8PDw8PDw8PDw8PDw8PDw8 --secret first.key --json >reserved.json`,
      { as: 'friend', with: mine },
    )
    shells.write('me', 'reserved.json', shells.read('friend', 'reserved.json'))
    await typing.one('svc directory open reserved.json --out first.key')
    expect(shells.read('me', 'first.key')).toBe(shells.read('friend', 'first.key'))
    await typing.one('svc directory revoke PDw8PDw8PDw8PDw8PDw8PDw8PDw8PDw8 --yes', { with: DEVICE })
    shells.write('me', 'witness.seed', Buffer.from(secrets.witnessSeed).toString('hex'))
    chmodSync(shells.pathOf('me', 'witness.seed'), 0o600)
    await typing.several('svc directory audit', 'svc directory audit --log-only --state audit.json')
    await typing.several('svc directory audit --cosign --seed witness.seed')
    await typing.one(`svc directory pool PDw8PDw8PDw8PDw8PDw8PDw8PDw8PDw8`, { with: DEVICE })
    await typing.several(`svc directory allow contacts --contact ${DID}`, 'svc directory allow anyone')
    await typing.several('svc directory beacon', 'svc directory beacon --out beacon.tlog-proof')
  })

  it('of an organization', async () => {
    await typing.several(`svc org propose --officer ${DID} --quorum 1`)
    shells.hand('officers.json', 'me', 'friend')
    await typing.one('svc org accept officers.json --yes', { as: 'friend' })
    shells.hand('officers.json.accepted.json', 'friend', 'me')
    await typing.several(
      'svc org create officers.json --accepted officers.json.accepted.json --yes',
      'svc org officers',
    )
    await typing.one(`svc org officers ${DID}`, { as: 'friend', with: { [DID]: idOf('me') } })
    const act = licenceAct(['grant-plan', idOf('me'), 'provenance', '30'], Date.now())
    if (!act) throw new Error('no act')
    await sendOperatorAct({ service: urls.pay, realm: urls.core }, secrets.operatorSeed, act)
    await typing.several(`svc org bind ${DID} --provider login.example.com --subject ann@example.com`)
    shells.hand('invitation.json', 'me', 'friend')
    await typing.one('svc org accept invitation.json --yes', { as: 'friend' })
    shells.hand('invitation.json.accepted.json', 'friend', 'me')
    await typing.several(`svc org bind ${DID} --accepted invitation.json.accepted.json`)
    const both = { [`${DID} ${DID}`]: `${idOf('me')} ${idOf('friend')}` }
    await typing.one(`svc org check ${DID} ${DID}`, { with: both })
    await typing.several('svc org members', `svc org suspend ${DID}`, `svc org resume ${DID}`)
    await typing.one(`svc org members ${DID} --json`, { as: 'friend', with: { [DID]: idOf('me') } })
    await typing.several(`svc org revoke ${DID} --yes`)
  })

  it('of devices', async () => {
    shells.write('me', 'key.txt', 'a wrapped key')
    for (const [line, phone] of [
      ['svc device pair', 'phone'],
      ['svc device pair --qr --capability notes:read notes:write', 'tablet'],
      ['svc device pair --relay --send key.txt', 'watch'],
    ] as const) {
      await shells.json(phone, `svc init --core ${urls.core}`)
      execFileSync('mkfifo', [shells.pathOf('me', `${phone}.code`)])
      typing.mark(line)
      // A person reads one screen and types at the other; here the code goes through a pipe.
      const pairing = shells.type('me', `${line} --code ${phone}.code 2>${phone}.txt`)
      shells.write(phone, 'link.txt', await shown(shells.pathOf('me', `${phone}.txt`), /svc:[a-z]+:[^']+/))
      const joining = typing.one('svc device join "$(cat link.txt)"', { as: phone, screen: 'screen.txt' })
      const code = await shown(shells.pathOf(phone, 'screen.txt'), /(?<=type this code there:\n\n {2})\S.*/)
      shells.write('me', `${phone}.code`, `${code}\n`)
      expect((await pairing).code).toBe(0)
      await joining
    }
    const { devices } = await shells.json<{ devices: { deviceId: string }[] }>('me', 'svc device list')
    await typing.several('svc device list')
    const DEVICE = { PDw8PDw8PDw8PDw8PDw8PDw8PDw8PDw8: devices.at(-1)?.deviceId ?? '' }
    await typing.one('svc device revoke PDw8PDw8PDw8PDw8PDw8PDw8PDw8PDw8 --yes', { with: DEVICE })
  })

  it('of a recovery with sheets of words', async () => {
    await shells.json('careful', `svc init --core ${urls.core}`)
    await shells.json('careful', 'svc id new --sheet-file first.txt second.txt')
    await typing.one('svc recovery confirm first.txt', { as: 'careful' })
    await shells.json('careful', 'svc rotate start --words second.txt --yes', 4)
    await typing.one('svc rotate veto --words first.txt --yes', { as: 'careful', ends: 4 })
  })

  it('of sheets whose words are all lost', async () => {
    const owner = await ownerWithSheet(urls.core)
    for (const [person, keys] of Object.entries({ owner: owner.root, device: owner.device })) {
      await shells.json(person, `svc init --core ${urls.core}`)
      shells.write(person, 'keys.json', keys)
      await shells.json(person, 'svc id import keys.json')
    }
    await typing.one('svc rotate start --lost-sheets --sheet-file new.txt --out request.json', { as: 'owner' })
    shells.hand('request.json', 'owner', 'device')
    // A device needs 24 hours of standing to replace sheets.
    await typing.one('svc rotate cosign --request request.json --yes', { as: 'device', ends: 5 })
  })

  it('of rotations, holds, guardians and a recovery', async () => {
    await typing.several('svc rotate hold', 'svc rotate lift --yes', 'svc rotate start --dry-run')
    await typing.one('svc rotate start', { ends: 4 })
    await typing.one('svc rotate status', { ends: 4 })
    await typing.one('svc rotate veto --yes')
    await typing.one('svc rotate start', { ends: 4 })
    await typing.one('svc rotate cosign --yes')
    await typing.until('svc rotate activate')
    await typing.several('svc rotate history')
    const USB = { with: { '/media/usb': shells.pathOf('me') } }
    await typing.one('svc recovery prepare --out /media/usb/recovery.json', USB)
    await typing.several('svc recovery status', 'svc recovery operator')
    await typing.one('svc recovery sheet /media/usb/recovery.json --qr', USB)
    const printed = await typing.one('svc recovery sheet /media/usb/recovery.json', USB)
    shells.write('me', 'words.txt', (printed.match(/^ ?\d+ [a-z].*$/gm) ?? []).join('\n'))
    await shells.json('me', 'svc id export --out all-keys.json')
    const { recovery } = await importKeys(JSON.parse(shells.read('me', 'all-keys.json')), PASSPHRASE)
    shells.write('me', 'recovery-of-the-console.json', JSON.stringify(recovery))
    await typing.one('svc recovery run words.txt --requests recovery-of-the-console.json', { ends: 4 })
    await typing.until('svc recovery run /media/usb/recovery.json', USB)
    await typing.one(`svc guardian set --subject will.pdf --guardian ${DID}`, { ends: 4 })
    const guardian = `svc guardian set --subject will.pdf --guardian ${idOf('friend')}`
    shells.write('friend', 'request.txt', (await shells.json<{ requestId: string }>('me', guardian, 4)).requestId)
    for (const [from, to, file] of [
      ['friend', 'me', 'request.txt'],
      ['me', 'friend', 'will.pdf'],
    ] as const)
      shells.hand(file, from, to)
    await typing.one('svc guardian approve "$(cat request.txt)" --subject will.pdf', { as: 'friend' })
    await typing.several('svc guardian status "$(cat request.txt)"')
  })

  it('are all of them', () => {
    expect(typing.left()).toEqual([])
  })
})

/** Waits until something is on a screen. */
async function shown(screen: string, pattern: RegExp): Promise<string> {
  for (const deadline = Date.now() + 60_000; Date.now() < deadline; await sleep(200)) {
    const [found] = pattern.exec(readFileSync(screen, { encoding: 'utf8', flag: 'a+' })) ?? []
    if (found !== undefined) return found
  }
  throw new Error(`Nothing of ${String(pattern)} on the screen`)
}
