import './home.css'
import { useState } from 'preact/hooks'
import { Exact } from '../content/exact.tsx'
import { forgetDrafts } from '../drafts/drafts.ts'
import { forgetDevice } from '../keys/device-keys.ts'
import { forgetRoot } from '../keys/root-keys.ts'
import type { Own } from '../own/own.ts'
import { forgetSheets } from '../sheets/kept-sheets.ts'
import { RecoveryPart } from '../sheets/recovery-part.tsx'
import { Button } from '../shell/button.tsx'
import { Confirmed } from '../shell/confirmed.tsx'
import { Emblem } from '../shell/emblem.tsx'
import { Link } from '../shell/link.tsx'
import { useTask } from '../shell/task.tsx'
import { Heading } from '../sign-in/heading.tsx'
import { words } from '../words/home/words.ts'
import { Devices } from './devices.tsx'
import { EventFeed } from './event-feed.tsx'
import { Safety } from './safety.tsx'
import { Usage } from './usage.tsx'

interface OverviewProps extends Own {
  readonly onForgotten: () => void
}

export function Overview({ onForgotten, ...own }: OverviewProps) {
  const task = useTask()
  const { device, rootLock } = own
  // A change that another part makes is read again by the parts that show it.
  const [change, setChange] = useState(0)
  const changed = () => setChange((count) => count + 1)
  return (
    <div class="home">
      <Heading>{words.title}</Heading>
      <section class="panel identity-card">
        <Emblem of={device.did} size={64} />
        <div>
          <Exact>{device.did}</Exact>
          <p>
            {words.epoch} {device.epoch} · {rootLock === null ? words.rootElsewhere : words.rootHere}
          </p>
          <div class="actions">
            <Button
              look="quiet"
              onPress={async () => {
                await navigator.clipboard.writeText(device.did)
                task.say(words.copied)
              }}
            >
              {words.copyDid}
            </Button>
            <Link to={`/did/${device.did}`}>{words.profile}</Link>
          </div>
        </div>
      </section>
      <Safety {...own} change={change} onChange={changed} />
      <RecoveryPart {...own} />
      <Devices {...own} change={change} onChange={changed} />
      <Usage client={own.client} />
      <EventFeed client={own.client} onNews={changed} />
      <section class="panel">
        <h2>{words.forget}</h2>
        <p>{words.forgetLead}</p>
        <Confirmed
          action={words.forget}
          title={words.forgetTitle}
          onConfirm={async () => {
            await Promise.all([forgetDevice(), forgetRoot(), forgetSheets(), forgetDrafts(own.device.did)])
            onForgotten()
          }}
        >
          <p>{words.forgetText}</p>
        </Confirmed>
      </section>
    </div>
  )
}
