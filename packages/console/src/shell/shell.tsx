import type { ComponentChildren } from 'preact'

export function Shell({ children }: { readonly children: ComponentChildren }) {
  return (
    <>
      <header class="top">
        <img src="/icon.svg" width="28" height="28" alt="" />
        <span>Console</span>
      </header>
      <main>{children}</main>
    </>
  )
}
