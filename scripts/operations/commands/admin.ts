import { visibleJsonOf } from '@svc/client/text'
import { UsageError } from '@svc/platform/entry'
import { SETTLEMENT_REASONS } from '@svc/protocol/consent/settlement'
import { WITHHELD_GROUNDS } from '@svc/protocol/ledger/withheld-notice'
import { GRANT_END_REASONS } from '@svc/protocol/operator/acts'
import { RECORDED_OBJECTS } from '@svc/protocol/operator/rebuild-objects'
import { TAKEDOWN_REASONS } from '@svc/protocol/operator/takedown'
import { TIERS } from '@svc/protocol/pay/tiers'
import { approveRotation } from '../acts/approve-rotation.ts'
import { exportKey } from '../acts/export-key.ts'
import { importFile, isImport } from '../acts/import.ts'
import { readJsonFile } from '../acts/json-file.ts'
import {
  codeWithdrawalAct,
  deadLetterAct,
  epochAct,
  epochWithdrawalAct,
  grantEndAct,
  INVITED,
  inviteAct,
  licenceAct,
  newCode,
  type OperatorAct,
  readAct,
  rollAct,
  sendOperatorAct,
  settleAct,
  takedownAct,
} from '../acts/operator-act.ts'
import { rebuildAnchors } from '../acts/rebuild-anchors.ts'
import { rebuildObjects, rebuildOf } from '../acts/rebuild-objects.ts'
import { isVectorService, reindex } from '../acts/reindex.ts'
import { withholdAct } from '../acts/withhold.ts'
import { signingCommand } from '../signing-command.ts'

const USAGE = `Usage: scripts/admin <act> [options]

Signs an operator act and sends it. The service that accepts the act records it.

The key:
  export-key FILE               write the operator's key to FILE, encrypted with a passphrase that is asked for, or that is
                                the first line of a pipe. The operator's page of the console opens it

Acts of every service that keeps objects:
  rebuild OBJECTS all|NAME WHEN [replace]
                                rebuild objects from their records, after they were lost at that time (or now); with replace,
                                discard what they have written since. Objects:
${Object.entries(RECORDED_OBJECTS)
  .map(([service, objects]) => `${' '.repeat(32)}${objects.join(', ')} (${service})`)
  .join('\n')}

Acts of the core service:
  reindex-chain DID             rebuild the chain projection of one identity
  rebuild-anchors LOG           write the index of an anchor log again from its files, after D1 was lost or restored
  roll-log LOG NEXT [VERSION]   close the log of anchors, and open the next one that a log list announces, with a key from
                                that version of the seed (default 1)
  approve-rotation DID ID       approve a version-1 rotation by its rotationId: shows the verified evidence and what
                                speaks against it, and asks for the new key's userId
  first-policy FILE             set the first governance policy, from a JSON file
  takedown core pin CID REASON  delete content by its CID, refuse it from now on, and list that publicly.
                                Reasons: ${TAKEDOWN_REASONS.join(', ')}
  withhold ANCHOR GROUND        withhold an anchor: its body goes, and the act is a leaf of the log.
                                Grounds: ${WITHHELD_GROUNDS.join(', ')}
  invites list [AFTER]          list requests for an invitation, with names, addresses and the IDs that the next three take
  invites approve ID [TIER DAYS]
                                mail an activation code that gives TIER for DAYS days from its redemption
                                (default ${INVITED.tier} ${INVITED.days})
  invites decline ID            decline a request; with --mail, tell the person
  invites forget ID             delete a request at once
  takedowns list core [AFTER]   list what was taken down there, and whether each act was carried out

Acts of the key directory:
  roll-log LOG NEXT [VERSION]   the same for the log of the key directory
  open-epoch NUMBER HOURS       open an epoch from now for HOURS hours, such as 24 or 0.5
  withdraw-epoch NUMBER         withdraw an epoch that has not begun; its number is not used again

Acts of the provenance service:
  reindex INDEX                 rebuild the search index of text, semantic, fragment or video
  takedown provenance KIND ID REASON
                                remove a capsule, a text or keypoints, and list that publicly.
                                Reasons: ${TAKEDOWN_REASONS.join(', ')}
  takedowns list provenance [AFTER]
                                list what was taken down there, and whether each act was carried out
  texts list ID [AFTER]         list what the registrant of a text has registered
  commitments import FILE       add historical commitments, from a file of JSON lines

Acts of the payments service:
  code TIER DAYS                issue a code that gives a tier for DAYS days, and print it once.
                                Tiers: ${TIERS.join(', ')}
  withdraw-code CODE            withdraw a code that nobody has redeemed, by itself or by the codeHash of its act
  grant-licence DID TIER DAYS   give an identity a tier for DAYS days from now
  revoke-licence DID            end its licence
  grant-plan DID TIER DAYS      the same for the plan of an organization, which its routes need
  revoke-plan DID               end the plan
  grants list DID               list what gives an identity its tier, with the ids of the grants
  end-grant ID REASON           end a grant now. Reasons: ${GRANT_END_REASONS.join(', ')}
  dead-letters [AFTER]          list events of the payment provider that were not understood
  replay-event ID               apply one of them as if it had just come
  dismiss-event ID              give one of them up

Acts of the consent service:
  consent import FILE           add records without an owner, from a file of JSON lines
  disputes list [AFTER]         list identifiers with claims that are not settled
  settle-consent ID DID REASON  pass an identifier to another creator.
                                Reasons: ${SETTLEMENT_REASONS.join(', ')}`

interface Sent {
  readonly act: OperatorAct
  /** What the operator must see besides the response. */
  readonly shown?: string
}

await signingCommand({
  name: 'scripts/admin',
  usage: USAGE,
  signer: 'operator',
  async run(signing) {
    const { operands, seed, origin, realm, ...services } = signing
    const [name, about, rotationId] = operands
    // The key directory and the DID service accept mutations from an allowlisted Origin only, from programs too.
    const headersFor = (service: string): Record<string, string> =>
      ['keys', 'did'].includes(service) ? { origin } : {}
    if (name === undefined) throw new UsageError('Name an act')
    if (name === 'export-key' && about !== undefined) return exportKey(seed(), about)
    if (name === 'reindex' && isVectorService(about))
      return reindex({ service: services.provenance, realm }, seed(), about)
    if (name === 'rebuild-anchors' && about !== undefined) {
      return rebuildAnchors({ service: services.core, realm }, seed(), about)
    }
    if (name === 'rebuild') {
      const rebuild = rebuildOf(operands.slice(1), Date.now())
      if (!rebuild) throw new UsageError('Name the objects, all or the name of one, and when they were lost')
      return rebuildObjects({ service: services[rebuild.service], realm }, seed(), rebuild, headersFor(rebuild.service))
    }
    if (name === 'approve-rotation' && about !== undefined && rotationId !== undefined) {
      return approveRotation(signing, about, rotationId)
    }
    if (isImport(name) && about === 'import' && rotationId !== undefined) {
      const service = name === 'consent' ? services.consent : services.provenance
      return importFile({ service, realm }, seed(), name, rotationId)
    }
    const sent =
      name === 'withhold'
        ? withheld(await withholdAct(services.core, operands.slice(1), Date.now()))
        : sentFor(operands, signing.mail)
    if (!sent) throw new UsageError(`'${operands.join(' ')}' is not an act with its operands`)
    const { act, shown } = sent
    const target = { service: services[act.service], realm }
    const response = await sendOperatorAct(target, seed(), act, headersFor(act.service))
    console.log(visibleJsonOf(await response.json(), 2))
    if (response.ok && shown !== undefined) console.log(shown)
    return response.ok ? 0 : 1
  },
})

const withheld = (act: OperatorAct | null): Sent | null => act && { act }

function sentFor(operands: readonly string[], mail: boolean): Sent | null {
  const [name, tier, days = ''] = operands
  if (name !== 'code' || mail) {
    const act = actOf(operands, mail)
    return act && { act }
  }
  const known = TIERS.find((one) => one === tier)
  if (known === undefined || !/^[0-9]{1,4}$/.test(days)) return null
  const { code, act } = newCode(known, Number(days))
  return { act, shown: code }
}

function actOf([name = '', ...operands]: readonly string[], mail: boolean): OperatorAct | null {
  const [did] = operands
  if (mail && (name !== 'invites' || did === 'list')) return null
  if (name === 'reindex-chain' && did !== undefined)
    return { type: 'svc/operator-chain-reindex/v1', service: 'core', members: { did } }
  if (name === 'first-policy' && did !== undefined) {
    const members = { policy: readJsonFile(did), previousPolicyId: null }
    return { type: 'svc/operator-governance-policy/v1', service: 'core', members }
  }
  if (name === 'end-grant') return grantEndAct(operands)
  if (name === 'takedown') return takedownAct(operands)
  if (name === 'roll-log') return rollAct(operands)
  if (name === 'settle-consent') return settleAct(operands)
  if (name === 'open-epoch') return epochAct(operands, Date.now())
  if (name === 'withdraw-epoch') return epochWithdrawalAct(did)
  if (name === 'withdraw-code') return codeWithdrawalAct(did)
  if (name === 'invites' && did !== 'list') return inviteAct(operands, mail)
  if (operands[0] === 'list') return readAct([name, ...operands])
  return deadLetterAct([name, ...operands]) ?? licenceAct([name, ...operands], Date.now())
}
