import '../start/start.css'
import './own.css'
import type { Device } from '@svc/client'
import type { ComponentChildren } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { connectAs } from '../keys/connect.ts'
import { type FoundDevice, findDevice, unlockDevice } from '../keys/device-keys.ts'
import { rootLockedBy } from '../keys/root-keys.ts'
import type { PageProps } from '../page.ts'
import { Link } from '../shell/link.tsx'
import { Locked } from '../shell/locked.tsx'
import { TaskArea, useTask } from '../shell/task.tsx'
import { Heading } from '../sign-in/heading.tsx'
import { Start } from '../start/start.tsx'
import { words } from '../words/own/words.ts'
import type { Own } from './own.ts'
import { OWN_PAGES } from './own-pages.ts'

interface SignedInProps extends PageProps {
  readonly children: (own: Own) => ComponentChildren
}

/** While the console is open: the pages share a client, and what it remembers. */
let entered: Own | null = null

/** After the identity of this browser has changed: its pages find the device anew. */
export function enterAnew(): void {
  entered = null
}

/** A page of the identity of this browser, with the way to one for somebody who has none. */
export function SignedIn(props: SignedInProps) {
  return (
    <TaskArea>
      <Entrance {...props} />
    </TaskArea>
  )
}

function Entrance({ configuration, path, children }: SignedInProps) {
  const { core } = configuration.services
  const task = useTask()
  const [found, setFound] = useState<FoundDevice | null>(null)
  const [own, setOwn] = useState(entered)

  const enter = async (device: Device) => {
    const [client, rootLock] = await Promise.all([connectAs(core, device), rootLockedBy()])
    entered = { core, device, client, rootLock }
    setOwn(entered)
  }
  const find = async () => {
    const is = await findDevice()
    setFound(is)
    if (is.state === 'open') await enter(is.device)
  }
  useEffect(() => {
    if (!own) void task.run(find)
  }, [])

  if (own)
    return (
      <>
        <nav class="own-pages" aria-label={words.menu}>
          {OWN_PAGES.map(([to, name]) => (
            <Link key={to} to={to} isCurrent={path === to}>
              {name}
            </Link>
          ))}
        </nav>
        {children(own)}
      </>
    )
  if (found?.state === 'none') return <Start core={core} onReady={find} />
  if (found?.state === 'locked')
    return (
      <section class="card">
        <Heading>{words.title}</Heading>
        <p>{words.unlockLead}</p>
        <Locked by={found.by} action={words.unlock} onLock={async (lock) => enter(await unlockDevice(lock))} />
      </section>
    )
  return <Heading>{words.title}</Heading>
}
