// Starts the list of all stations.
import '../style.css';
import { startPage } from '../state/start-page.tsx';
import { StationList } from './station-list.tsx';

startPage(<StationList />);
