import './profile.css'
import type { Client } from '@svc/client'
import { useEffect, useState } from 'preact/hooks'
import type { PageProps } from '../page.ts'
import { go } from '../router.ts'
import { publicClient } from '../services/public-client.ts'
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
  const [client, setClient] = useState<Promise<Client> | null>(null)
  useEffect(() => setClient(publicClient(configuration.services.core)), [])
  if (!DID.test(did)) return <Chooser typed={did} />
  return (
    <div class="profile">
      <h1>{words.title}</h1>
      <div class="identity-card">
        <Emblem of={did} size={64} />
        <code>{did}</code>
      </div>
      <p>{words.lead}</p>
      {client === null ? null : (
        <>
          <State did={did} client={client} />
          <Keys did={did} client={client} />
          <RotationRequest did={did} client={client} />
          <Anchored did={did} client={client} />
          <Declared did={did} client={client} />
        </>
      )}
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
