import './home.css'
import '../start/start.css'
import type { Device } from '@svc/client'
import { useEffect, useState } from 'preact/hooks'
import { connectAs } from '../keys/connect.ts'
import { type FoundDevice, findDevice, unlockDevice } from '../keys/device-keys.ts'
import { rootLockedBy } from '../keys/root-keys.ts'
import type { PageProps } from '../page.ts'
import { Locked } from '../shell/locked.tsx'
import { TaskArea, useTask } from '../shell/task.tsx'
import { Heading } from '../sign-in/heading.tsx'
import { Start } from '../start/start.tsx'
import { words } from '../words/home/words.ts'
import { Overview } from './overview.tsx'
import type { Own } from './own.ts'

/** The identity of this browser, or the way to one. */
export function HomePage({ configuration }: PageProps) {
  return (
    <TaskArea>
      <Home core={configuration.services.core} />
    </TaskArea>
  )
}

function Home({ core }: { readonly core: string }) {
  const task = useTask()
  const [found, setFound] = useState<FoundDevice | null>(null)
  const [own, setOwn] = useState<Own | null>(null)

  const enter = async (device: Device) => {
    const [client, rootLock] = await Promise.all([connectAs(core, device), rootLockedBy()])
    setOwn({ core, device, client, rootLock })
  }
  const find = async () => {
    const is = await findDevice()
    setFound(is)
    if (is.state === 'open') await enter(is.device)
  }
  useEffect(() => void task.run(find), [])

  if (own) return <Overview {...own} onForgotten={() => location.reload()} />
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
