import './log.css'
import type { Client } from '@svc/client'
import { useEffect, useState } from 'preact/hooks'
import type { PageProps } from '../page.ts'
import { publicClient } from '../services/public-client.ts'
import { words } from '../words/log/words.ts'
import { AllLogs } from './all-logs.tsx'
import { NewestCheckpoint } from './newest-checkpoint.tsx'
import { forgetVisits } from './visits.ts'

/** The logs of the deployment, as anybody can check them. Needs no key. */
export function LogPage({ configuration }: PageProps) {
  const [client, setClient] = useState<Promise<Client> | null>(null)
  useEffect(() => setClient(publicClient(configuration.services.core)), [])
  return (
    <div class="logs">
      <h1>{words.title}</h1>
      <p>{words.lead}</p>
      {client === null ? null : (
        <>
          <NewestCheckpoint series="anchors" client={client} />
          <NewestCheckpoint series="transparency" client={client} />
          <AllLogs client={client} />
        </>
      )}
      <button
        type="button"
        class="plain"
        onClick={() => {
          forgetVisits()
          location.reload()
        }}
      >
        {words.forget}
      </button>
    </div>
  )
}
