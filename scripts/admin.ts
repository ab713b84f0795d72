import { readFileSync } from 'node:fs'
import { LICENCE_TIERS } from '@svc/protocol/licences'
import {
  epochAct,
  newActivationCode,
  newEntitlementCode,
  type OperatorAct,
  orgLicenceAct,
  sendOperatorAct,
} from './lib/operator-act.ts'
import { isVectorService, reindex } from './lib/reindex.ts'
import { signingCommand } from './lib/signing-command.ts'
import { resolveFromCaller } from './lib/workspace.ts'

const USAGE = `Usage: scripts/admin <act> [options]

Signs an operator act and sends it. Each act is recorded by the service that takes it.

Acts:
  reindex-chain DID             rebuild the chain projection of one identity
  approve-rotation DID ID       approve a pending version-1 rotation, by its rotationId
  first-policy FILE             set the first governance policy, from a JSON file
  activation-code TIER DAYS     issue an activation code for a licence of so many days; prints the code, once.
                                Tiers: ${LICENCE_TIERS.join(', ')}

Acts of the DID service:
  grant-org-licence DID DAYS    license an organization for so many days from now
  revoke-org-licence DID        end the licence of an organization

Acts of the key directory:
  open-epoch NUMBER HOURS       open an epoch from now for so many hours

Acts of the provenance service:
  reindex SERVICE               make the index of text, semantic, fragment or video again from what is kept

Acts of the payments service:
  entitlement-code TIER DAYS    issue a code that gives a tier for so many days; prints the code, once`

interface Act extends OperatorAct {
  /** Which service takes it; core unless said. */
  readonly service?: 'did' | 'keys' | 'pay'
  /** What the operator must see besides the answer. */
  readonly shown?: string
}

await signingCommand({
  usage: USAGE,
  signer: 'operator',
  async run({ operands, seed, origin, ...services }) {
    const [name, service] = operands
    if (name === 'reindex' && isVectorService(service)) return reindex(services.provenance, seed(), service)
    const act = actOf(operands)
    if (!act) return null
    // These two take mutations from an allowlisted Origin only, also of programs; the others pass one by.
    const headers: Record<string, string> = act.service === 'did' || act.service === 'keys' ? { origin } : {}
    const response = await sendOperatorAct(services[act.service ?? 'core'], seed(), act, headers)
    console.log(JSON.stringify(await response.json(), null, 2))
    if (response.ok && act.shown !== undefined) console.log(act.shown)
    return response.ok ? 0 : 1
  },
})

function actOf([name = '', ...operands]: readonly string[]): Act | null {
  const [did, rotationId] = operands
  if (name === 'reindex-chain' && did !== undefined) return { type: 'svc/operator-chain-reindex/v1', members: { did } }
  if (name === 'approve-rotation' && did !== undefined && rotationId !== undefined) {
    return { type: 'svc/operator-rotation-approve/v1', members: { did, rotationId } }
  }
  if (name === 'first-policy' && did !== undefined) {
    const policy: unknown = JSON.parse(readFileSync(resolveFromCaller(did), 'utf8'))
    return { type: 'svc/operator-governance-policy/v1', members: { policy } }
  }
  if (name === 'activation-code') return coded(operands, newActivationCode)
  if (name === 'entitlement-code') return servedBy('pay', coded(operands, newEntitlementCode))
  if (name === 'open-epoch') return servedBy('keys', epochAct(operands, Date.now()))
  return servedBy('did', orgLicenceAct([name, ...operands], Date.now()))
}

function servedBy(service: 'did' | 'keys' | 'pay', act: Act | null): Act | null {
  return act && { ...act, service }
}

type NewCode = (tier: string, days: number) => { code: string; act: OperatorAct }

function coded([name, days]: readonly string[], newCode: NewCode): Act | null {
  const tier = LICENCE_TIERS.find((known) => known === name)
  if (tier === undefined || !/^[0-9]{1,4}$/.test(days ?? '')) return null
  const { code, act } = newCode(tier, Number(days))
  return { ...act, shown: code }
}
