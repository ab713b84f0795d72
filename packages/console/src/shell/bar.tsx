/** How much of something is used. The text beside it says the same. */
export function Bar({ used, limit }: { readonly used: number; readonly limit: number }) {
  return (
    <svg viewBox="0 0 100 6" preserveAspectRatio="none" aria-hidden="true">
      <rect class="whole" width="100" height="6" rx="3" />
      <rect class="used" width={limit === 0 ? 0 : Math.min(100, (100 * used) / limit)} height="6" rx="3" />
    </svg>
  )
}
