// What Vite makes of an import with a query.
declare module '*?worker&url' {
  const url: string;
  export default url;
}
