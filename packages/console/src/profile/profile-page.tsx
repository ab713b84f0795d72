import './profile.css'
import { useState } from 'preact/hooks'
import { Exact } from '../content/exact.tsx'
import type { PageProps } from '../page.ts'
import { go } from '../router.ts'
import { usePublicReader } from '../services/public-reader.ts'
import { Emblem } from '../shell/emblem.tsx'
import { Field } from '../shell/field.tsx'
import { words } from '../words/profile/words.ts'
import { Keys, RotationRequest } from './keys.tsx'
import { Anchored, Declared } from './records.tsx'
import { State } from './state.tsx'

const DID = /^did:svc:[A-Za-z0-9_-]{32}$/

/** Anybody's view of an identity. Needs no key. */
export function ProfilePage({ configuration, path }: PageProps) {
  const did = decodeURIComponent(path.replace(/^\/did\/?/, ''))
  if (!DID.test(did)) return <Chooser typed={did} />
  return <Identity did={did} core={configuration.services.core} />
}

function Identity({ did, core }: { readonly did: string; readonly core: string }) {
  const reader = usePublicReader(core)
  return (
    <div class="profile">
      <h1>{words.title}</h1>
      <div class="identity-card">
        <Emblem of={did} size={64} />
        <Exact>{did}</Exact>
      </div>
      <p>{words.lead}</p>
      <State did={did} reader={reader} />
      <Keys did={did} reader={reader} />
      <RotationRequest did={did} reader={reader} />
      <Anchored did={did} reader={reader} />
      <Declared did={did} reader={reader} />
    </div>
  )
}

function Chooser({ typed }: { readonly typed: string }) {
  const [did, setDid] = useState(typed)
  const [isWrong, setWrong] = useState(typed !== '')
  return (
    <div class="profile">
      <h1>{words.title}</h1>
      <p>{words.lead}</p>
      <form
        class="panel"
        onSubmit={(event) => {
          event.preventDefault()
          if (DID.test(did.trim())) go(`/did/${did.trim()}`)
          else setWrong(true)
        }}
      >
        <Field label={words.did} value={did} onValue={setDid} />
        <button type="submit">{words.open}</button>
        {isWrong ? (
          <p role="alert" class="bad">
            {words.malformed}
          </p>
        ) : null}
      </form>
    </div>
  )
}
