import { readFileSync } from 'node:fs'
import { LICENCE_TIERS } from '@svc/protocol/licences'
import { newActivationCode, type OperatorAct, orgLicenceAct, sendOperatorAct } from './lib/operator-act.ts'
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
  revoke-org-licence DID        end the licence of an organization`

interface Act extends OperatorAct {
  /** What the operator must see besides the answer. */
  readonly shown?: string
}

await signingCommand({
  usage: USAGE,
  signer: 'operator',
  async run({ core, did, origin, operands, seed }) {
    const licence = orgLicenceAct(operands, Date.now())
    const act: Act | null = licence ?? actOf(operands)
    if (!act) return null
    // The DID service takes mutations from an allowlisted Origin only, also of programs.
    const response = await (licence
      ? sendOperatorAct(did, seed(), act, { origin })
      : sendOperatorAct(core, seed(), act))
    console.log(JSON.stringify(await response.json(), null, 2))
    if (response.ok && act.shown !== undefined) console.log(act.shown)
    return response.ok ? 0 : 1
  },
})

function actOf([name, ...operands]: readonly string[]): Act | null {
  const [did, rotationId] = operands
  if (name === 'reindex-chain' && did !== undefined) return { type: 'svc/operator-chain-reindex/v1', members: { did } }
  if (name === 'approve-rotation' && did !== undefined && rotationId !== undefined) {
    return { type: 'svc/operator-rotation-approve/v1', members: { did, rotationId } }
  }
  if (name === 'first-policy' && did !== undefined) {
    const policy: unknown = JSON.parse(readFileSync(resolveFromCaller(did), 'utf8'))
    return { type: 'svc/operator-governance-policy/v1', members: { policy } }
  }
  if (name === 'activation-code') return activationCode(operands)
  return null
}

function activationCode([name, days]: readonly string[]): Act | null {
  const tier = LICENCE_TIERS.find((known) => known === name)
  if (tier === undefined || !/^[0-9]{1,4}$/.test(days ?? '')) return null
  const { code, act } = newActivationCode(tier, Number(days))
  return { ...act, shown: code }
}
