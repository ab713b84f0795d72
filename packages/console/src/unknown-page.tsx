import { Link } from './shell/link.tsx'

export function UnknownPage() {
  return (
    <section class="card">
      <h1>Page not found</h1>
      <p>
        There is nothing at this address. <Link to="/sign-in">Go to sign-in</Link>
      </p>
    </section>
  )
}
