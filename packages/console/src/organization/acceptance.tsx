import { useState } from 'preact/hooks'
import { Copyable } from '../content/copyable.tsx'
import type { Own } from '../own/own.ts'
import { RootAct } from '../own/root-act.tsx'
import { Field } from '../shell/field.tsx'
import { words } from '../words/organization/words.ts'

/** A member agrees to be bound: without it, a binding stays pending. */
export function Acceptance({ core, rootLock }: Own) {
  const [orgDid, setOrgDid] = useState('')
  const [provider, setProvider] = useState('')
  const [subjectHash, setSubjectHash] = useState('')
  const [signed, setSigned] = useState<string | null>(null)
  return (
    <section class="panel">
      <h2>{words.accept}</h2>
      <p>{words.acceptLead}</p>
      <Field label={words.orgDid} value={orgDid} onValue={setOrgDid} />
      <Field label={words.provider} hint={words.providerHint} value={provider} onValue={setProvider} />
      <Field label={words.subjectHash} hint={words.subjectHashHint} value={subjectHash} onValue={setSubjectHash} />
      <RootAct
        core={core}
        rootLock={rootLock}
        action={words.sign}
        onAct={async (client) => {
          const terms = { orgDid: orgDid.trim(), provider: provider.trim(), subjectHash: subjectHash.trim() }
          setSigned(JSON.stringify(await client.membership.accept(terms)))
        }}
      />
      {signed === null ? null : <Copyable title={words.acceptance} text={signed} />}
    </section>
  )
}
