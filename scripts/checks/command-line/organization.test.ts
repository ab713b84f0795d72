/** An organization with officers and members, each with `svc` on a machine of their own. */
import { licenceAct, sendOperatorAct } from '@svc/operations/operator-act'
import { sharedPlatform } from '@svc/platform/shared-platform'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { PlatformMachine } from './machine.ts'

const { urls, secrets } = sharedPlatform()
const [org, ann, ben, member] = Array.from({ length: 4 }, () => new PlatformMachine()) as [
  PlatformMachine,
  PlatformMachine,
  PlatformMachine,
  PlatformMachine,
]
const everybody = [org, ann, ben, member]
afterAll(() => {
  for (const machine of everybody) machine.remove()
})

const dids = new Map<PlatformMachine, string>()
const didOf = (machine: PlatformMachine) => dids.get(machine) ?? ''
/** As by mail. */
const hand = (name: string, from: PlatformMachine, to: PlatformMachine) => to.write(name, from.read(name))

beforeAll(async () => {
  for (const machine of everybody) {
    await machine.json(`init --core ${urls.core}`)
    dids.set(machine, (await machine.json<{ did: string }>('id new --local')).did)
    await machine.json('chain init')
  }
}, 60_000)

describe('officers', () => {
  it('accept, and then the identity is an organization', async () => {
    expect(await org.failure('org officers')).toBe('5 not_an_org')
    await org.json(`org propose --officer ${didOf(ann)} --out first.json`)
    expect(await org.failure('org create first.json')).toBe('2 usage')
    hand('first.json', org, ann)
    expect(await ann.json('org accept first.json')).toMatchObject({ org: didOf(org), as: 'officer' })
    hand('first.json.accepted.json', ann, org)
    await org.json('org create first.json --accepted first.json.accepted.json')
    expect(await ben.json(`org officers ${didOf(org)}`)).toMatchObject({
      version: 1,
      officers: [didOf(ann)],
      quorum: 1,
    })
  })

  it('are replaced with the approval of those before', async () => {
    await org.json(`org propose --officer ${didOf(ben)} --out second.json`)
    for (const officer of [ann, ben]) {
      hand('second.json', org, officer)
      await officer.json(`org accept second.json --out ${officer === ann ? 'ann' : 'ben'}.json`)
    }
    hand('ben.json', ben, org)
    expect(await org.failure('org create second.json --accepted ben.json')).toMatch(/^5 quorum_not_met$/)
    hand('ann.json', ann, org)
    await org.json('org create second.json --accepted ann.json ben.json')
    expect(await org.json('org officers')).toMatchObject({ version: 2, officers: [didOf(ben)] })
  })
})

describe('a member', () => {
  const bound = async () => (await ann.run(`org check ${didOf(org)} ${didOf(member)}`)).code

  it('is bound once it has accepted its invitation', async () => {
    expect(await org.failure('org members')).toBe('5 licence_required')
    const act = licenceAct(['grant-plan', didOf(org), 'provenance', '30'], Date.now())
    if (!act) throw new Error('no act')
    await sendOperatorAct({ service: urls.pay, realm: urls.core }, secrets.operatorSeed, act)
    const terms = '--provider login.example.com --subject member@example.com --permission content:sign'
    expect(await org.json(`org bind ${didOf(member)} ${terms}`)).toMatchObject({ event: 'bind', status: 'pending' })
    expect(await bound()).toBe(3)
    hand('invitation.json', org, member)
    hand('invitation.json', org, ben)
    expect(await ben.failure('org accept invitation.json')).toBe('2 usage')
    await member.json('org accept invitation.json')
    hand('invitation.json.accepted.json', member, org)
    const joined = await org.json(`org bind ${didOf(member)} --accepted invitation.json.accepted.json`)
    expect(joined).toMatchObject({ event: 'update', status: 'active', invitation: null })
    expect(await bound()).toBe(0)
  })

  it('is in the list that an officer computes from the signed events', async () => {
    const shown = { memberDid: didOf(member), status: 'active', role: 'member', permissions: ['content:sign'] }
    expect(await ben.json(`org members ${didOf(org)}`)).toMatchObject({ sequence: 2, members: [shown] })
    expect(await ann.failure(`org members ${didOf(org)}`)).toBe('5 forbidden')
  })

  it('is suspended, resumed, and leaves', async () => {
    await org.json(`org suspend ${didOf(member)}`)
    expect(await bound()).toBe(3)
    await org.json(`org resume ${didOf(member)}`)
    expect(await bound()).toBe(0)
    await org.json(`org revoke ${didOf(member)}`)
    expect(await bound()).toBe(3)
  })
})
