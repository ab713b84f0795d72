import { err, ok } from '@svc/protocol/base/result'
import type { KeysOperatorAct } from '@svc/protocol/operator/acts'
import type { ActPerformer } from '@svc/service'
import type { VaultMemberStore } from '../epoch-vault/member-store.ts'
import type { EpochStore } from '../epochs/store.ts'

export type EpochRefusal = { readonly reason: 'epoch_conflict' | 'no_epoch' | 'vault_member_limit' | 'not_found' }
type Statement = KeysOperatorAct['statement']
type MemberStatement = Extract<Statement, { readonly type: 'svc/operator-epoch-member/v1' }>

/** The key directory's operator acts: opening an epoch, and deciding who is in its vault. */
export function performerOf(epochs: EpochStore, vaults: VaultMemberStore): ActPerformer<Statement, EpochRefusal> {
  return async (act, now) => {
    const refusal = act.type === 'svc/operator-epoch/v1' ? await opened(epochs, act) : await decided(vaults, act, now)
    return refusal ? err({ reason: refusal }) : ok({})
  }
}

async function opened(
  epochs: EpochStore,
  { epoch, opensAt, closesAt }: Extract<Statement, { readonly type: 'svc/operator-epoch/v1' }>,
): Promise<'epoch_conflict' | null> {
  const isOpen = closesAt > opensAt && (await epochs.open({ epoch, opensAt, closesAt }))
  return isOpen ? null : 'epoch_conflict'
}

async function decided(
  vaults: VaultMemberStore,
  { epoch, did, action }: MemberStatement,
  now: number,
): Promise<Exclude<EpochRefusal['reason'], 'epoch_conflict'> | null> {
  if (action === 'remove') return (await vaults.remove(epoch, did, now)) ? null : 'not_found'
  const admission = await vaults.admit(epoch, did, now)
  return admission === 'admitted' ? null : admission
}
