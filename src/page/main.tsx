// Starts the page of a station.
import 'uplot/dist/uPlot.min.css';
import './style.css';
import './print.css';
import { App } from './app.tsx';
import { startPage } from './state/start-page.tsx';

startPage(<App />);
