import { chunk } from '../failures/chunk.ts'
import { SignedIn } from '../own/signed-in.tsx'
import type { PageProps } from '../page.ts'
import { Loaded } from '../shell/loaded.tsx'

const loadOverview = () => chunk(() => import('./overview.tsx').then(({ Overview }) => Overview))

/** The identity of this browser, or the way to one. */
export function HomePage(props: PageProps) {
  return (
    <SignedIn {...props}>
      {(own) => <Loaded load={loadOverview} props={{ ...own, onForgotten: () => location.reload() }} />}
    </SignedIn>
  )
}
