import './home.css'
import { SignedIn } from '../own/signed-in.tsx'
import type { PageProps } from '../page.ts'
import { Overview } from './overview.tsx'

/** The identity of this browser, or the way to one. */
export function HomePage(props: PageProps) {
  return <SignedIn {...props}>{(own) => <Overview {...own} onForgotten={() => location.reload()} />}</SignedIn>
}
