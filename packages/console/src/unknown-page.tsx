import { Link } from './shell/link.tsx'
import { words } from './words/shell/words.ts'

export function UnknownPage() {
  return (
    <section class="card">
      <h1>{words.unknownTitle}</h1>
      <p>
        {words.unknown} <Link to="/">{words.goToStart}</Link>
      </p>
    </section>
  )
}
